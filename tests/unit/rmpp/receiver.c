/* SPDX-License-Identifier: BSD-2-Clause */
#include "receiver.h"

#include <stdlib.h>

struct rmpp *open_default(void)
{
	struct rmpp_config config = fixture_config();

	return fixture_open(&config);
}

int receiver_setup(void **state)
{
	*state = open_default();
	return 0;
}

int receiver_teardown(void **state)
{
	fixture_close(*state);
	return 0;
}

enum rmpp_verdict segment(struct rmpp *rmpp, uint32_t number, uint8_t flags, uint32_t length,
			  uint64_t now)
{
	struct mad mad;

	mad_segment(&mad, number, flags, length);
	return input(rmpp, &mad, true, now);
}

void expect_ack(struct rmpp *rmpp, uint32_t number, uint32_t window, uint64_t now)
{
	const struct ib_user_mad *umad = expect_frame(rmpp, now, ACK, 0, 0, number, window);

	assert_int_equal(mad_method(umad), GET_TABLE);
	assert_int_equal(umad->timeout_ms, 0);
	assert_int_equal(umad->data[40], 1); /* the class header is the first segment's */
	for (size_t i = SA_HEADER; i < 256; i++)
		assert_int_equal(umad->data[i], 0);
}

void expect_message(struct rmpp *rmpp, size_t data)
{
	struct rmpp_outcome outcome;
	const uint8_t *mad;

	assert_true(rmpp_next_outcome(rmpp, &outcome));
	assert_false(outcome.sent);
	assert_int_equal(outcome.status, 0);
	assert_int_equal(outcome.user, 77);
	assert_int_equal(outcome.length, SA_HEADER + data);
	assert_int_equal(outcome.message->length, 64 + SA_HEADER + data);
	assert_int_equal(outcome.message->agent_id, AGENT_ID);
	assert_int_equal(outcome.message->status, 0);
	assert_int_equal(outcome.message->addr.lid, htobe16(PEER_LID));
	mad = outcome.message->data;
	assert_int_equal(mad[1], SA_CLASS);
	assert_int_equal(mad[3], GET_TABLE_RESP);
	assert_int_equal(mad[40], 1);
	assert_int_equal(mad_said(outcome.message).segment, 1);
	for (size_t i = 0; i < data; i++)
		assert_int_equal(mad[SA_HEADER + i],
				 pattern((uint32_t)(i / SA_DATA) + 1, (uint32_t)(i % SA_DATA)));
	memory.held--;
	free(outcome.message);
}

enum rmpp_verdict segment_of(struct rmpp *rmpp, uint8_t tid, uint32_t number, uint8_t flags)
{
	struct mad mad;

	mad_segment(&mad, number, flags, flags & LAST ? 60 : 0);
	mad.mad[15] = tid;
	return input(rmpp, &mad, true, 0);
}

uint64_t start(struct rmpp *rmpp, uint32_t number, uint8_t flags, uint32_t length)
{
	struct rmpp_arrival arrival = { .lane = LANE, .bytes = sizeof(struct mad), .accept = true };
	struct mad mad;
	uint64_t id;

	mad_segment(&mad, number, flags, length);
	arrival.umad = &mad.umad;
	arrival.user = 77;
	assert_int_equal(rmpp_input(rmpp, &arrival, 0, &id), RMPP_STARTED);
	return id;
}
