/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "rmpp_fixture.h"

struct memory memory;

static struct ib_user_mad *take(void *context, size_t bytes)
{
	struct memory *from = context;
	struct ib_user_mad *message;

	if (++from->takes == from->refuse_at)
		return NULL;
	message = malloc(sizeof(*message) + bytes);
	assert_non_null(message);
	from->held++;
	if (bytes > from->largest)
		from->largest = bytes;
	return message;
}

static void give(void *context, struct ib_user_mad *message)
{
	struct memory *from = context;

	from->held--;
	free(message);
}

struct rmpp_config fixture_config(void)
{
	return (struct rmpp_config){
		.sends = 4,
		.receives = 4,
		.frames = 256,
		.window = 8,
		.message_limit = 1 << 20,
		.first_timeout_ns = 100 * MS,
		.min_timeout_ns = 10 * MS,
		.max_timeout_ns = 1000 * MS,
		.retries = 3,
		.idle_ns = 5000 * MS,
		.total_ns = 60000 * MS,
		.linger_ns = 2000 * MS,
		.tick_ns = MS,
		.seed = 1,
		.memory = { .take = take, .give = give, .context = &memory },
	};
}

struct rmpp *fixture_open(const struct rmpp_config *config)
{
	struct rmpp *rmpp;

	memory = (struct memory){ 0 };
	assert_int_equal(rmpp_open(&rmpp, config), 0);
	return rmpp;
}

void fixture_close(struct rmpp *rmpp)
{
	rmpp_close(rmpp);
	assert_int_equal(memory.held, 0);
}

static uint32_t get32(const uint8_t *from)
{
	return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static void put32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void prepare(struct ib_user_mad *umad, uint8_t mgmt_class, uint8_t method)
{
	*umad = (struct ib_user_mad){
		.agent_id = AGENT_ID,
		.addr = { .lid = htobe16(PEER_LID), .qpn = htobe32(1), .sl = 2, .pkey_index = 4 },
	};
	memset(umad->data, 0, 24);
	umad->data[0] = 1;
	umad->data[1] = mgmt_class;
	umad->data[2] = 2;
	umad->data[3] = method;
	put32(umad->data + 8, TID >> 32);
	put32(umad->data + 12, (uint32_t)TID);
}

void mad_prepare(struct mad *mad, uint8_t mgmt_class, uint8_t method)
{
	memset(mad, 0, sizeof(*mad));
	prepare(&mad->umad, mgmt_class, method);
}

void mad_say(struct mad *mad, const struct said *said)
{
	mad->mad[24] = said->version;
	mad->mad[25] = said->type;
	mad->mad[26] = (uint8_t)(31 << 3 | 1 | said->flags);
	mad->mad[27] = said->status;
	put32(mad->mad + 28, said->segment);
	put32(mad->mad + 32, said->length);
}

struct said mad_said(const struct ib_user_mad *umad)
{
	const uint8_t *mad = umad->data;

	assert_true(mad[26] & 1);
	return (struct said){
		.version = mad[24],
		.type = mad[25],
		.flags = mad[26] & 6,
		.status = mad[27],
		.segment = get32(mad + 28),
		.length = get32(mad + 32),
	};
}

uint8_t mad_method(const struct ib_user_mad *umad)
{
	return umad->data[3];
}

uint64_t mad_tid(const struct ib_user_mad *umad)
{
	return (uint64_t)get32(umad->data + 8) << 32 | get32(umad->data + 12);
}

uint8_t pattern(uint32_t segment, uint32_t at)
{
	return (uint8_t)(segment * 31 + at * 7 + (at >> 3));
}

void mad_segment(struct mad *mad, uint32_t segment, uint8_t flags, uint32_t length)
{
	const struct said said = {
		.version = 1, .type = DATA, .flags = flags, .segment = segment, .length = length
	};

	mad_prepare(mad, SA_CLASS, GET_TABLE_RESP);
	mad_say(mad, &said);
	mad->mad[40] =
		(uint8_t)segment; /* the class header's own, which the first one counts for */
	for (uint32_t i = 0; i < SA_DATA; i++)
		mad->mad[SA_HEADER + i] = pattern(segment, i);
}

void mad_ack(struct mad *mad, uint8_t message_method, uint32_t segment, uint32_t window)
{
	const struct said said = {
		.version = 1, .type = ACK, .segment = segment, .length = window
	};

	mad_prepare(mad, SA_CLASS, message_method ^ 0x80);
	mad_say(mad, &said);
}

enum rmpp_verdict input(struct rmpp *rmpp, const struct mad *mad, bool accept, uint64_t now)
{
	const struct rmpp_arrival arrival = {
		.lane = LANE,
		.umad = &mad->umad,
		.bytes = sizeof(*mad),
		.accept = accept,
		.user = 77,
	};

	return rmpp_input(rmpp, &arrival, now, NULL);
}

bool next_frame(struct rmpp *rmpp, uint64_t now, const struct ib_user_mad **umad)
{
	struct rmpp_frame frame;
	bool wanted = rmpp_wants_frame(rmpp);

	if (!rmpp_next_frame(rmpp, now, &frame))
		return false;
	assert_true(wanted);
	assert_int_equal(frame.bytes, sizeof(struct mad));
	assert_int_equal(frame.lane, LANE);
	assert_int_equal(frame.umad->agent_id, AGENT_ID);
	assert_int_equal(frame.umad->addr.lid, htobe16(PEER_LID));
	assert_int_equal(frame.umad->addr.qpn, htobe32(1));
	assert_int_equal(frame.umad->addr.sl, 2);
	assert_int_equal(frame.umad->addr.pkey_index, 4);
	assert_int_equal(mad_said(frame.umad).version, 1);
	assert_int_equal(mad_tid(frame.umad), TID);
	rmpp_frame_done(rmpp, frame.slot, 0, now);
	*umad = frame.umad;
	return true;
}

const struct ib_user_mad *expect_frame(struct rmpp *rmpp, uint64_t now, uint8_t type, uint8_t flags,
				       uint8_t status, uint32_t segment, uint32_t length)
{
	static const struct mad nothing;
	const struct ib_user_mad *umad = &nothing.umad;
	struct said said;

	assert_true(next_frame(rmpp, now, &umad));
	said = mad_said(umad);
	assert_int_equal(said.type, type);
	assert_int_equal(said.flags, flags);
	assert_int_equal(said.status, status);
	assert_int_equal(said.segment, segment);
	assert_int_equal(said.length, length);
	return umad;
}

void expect_no_frame(struct rmpp *rmpp, uint64_t now)
{
	struct rmpp_frame frame;

	assert_false(rmpp_next_frame(rmpp, now, &frame));
	assert_false(rmpp_wants_frame(rmpp));
}

void expect_no_outcome(struct rmpp *rmpp)
{
	struct rmpp_outcome outcome;

	assert_false(rmpp_next_outcome(rmpp, &outcome));
}

struct rmpp_outcome expect_outcome(struct rmpp *rmpp, bool sent, int status, uint8_t rmpp_status)
{
	struct rmpp_outcome outcome;

	assert_true(rmpp_next_outcome(rmpp, &outcome));
	assert_int_equal(outcome.sent, sent);
	assert_int_equal(outcome.status, status);
	assert_int_equal(outcome.rmpp_status, rmpp_status);
	assert_int_equal(outcome.user, 77);
	assert_int_equal(outcome.message != NULL, !sent && !status);
	if (outcome.message)
		give(&memory, outcome.message);
	return outcome;
}

struct ib_user_mad *message_make(uint8_t mgmt_class, uint8_t method, size_t length)
{
	struct ib_user_mad *message = malloc(sizeof(*message) + length);

	assert_non_null(message);
	for (size_t i = 0; i < length; i++)
		message->data[i] = (uint8_t)(i * 13 + (i >> 8));
	prepare(message, mgmt_class, method);
	return message;
}

uint64_t message_send(struct rmpp *rmpp, const struct ib_user_mad *message, size_t length,
		      uint32_t reply_ms, uint64_t now)
{
	const struct rmpp_message how = {
		.umad = message,
		.length = length,
		.lane = LANE,
		.reply_ms = reply_ms,
		.user = 77,
	};
	uint64_t id;

	assert_int_equal(rmpp_send(rmpp, &how, now, &id), 0);
	return id;
}
