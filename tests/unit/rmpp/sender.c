/* SPDX-License-Identifier: BSD-2-Clause */
#include "sender.h"

#include <stdlib.h>

struct send_test begin(uint8_t method, size_t length, uint32_t reply_ms)
{
	struct rmpp_config config = fixture_config();
	struct send_test test = { .rmpp = fixture_open(&config),
				  .message = message_make(SA_CLASS, method, length),
				  .length = length };

	test.id = message_send(test.rmpp, test.message, length, reply_ms, 0);
	return test;
}

void end(struct send_test *test)
{
	expect_no_frame(test->rmpp, UINT64_MAX);
	expect_no_outcome(test->rmpp);
	fixture_close(test->rmpp);
	free(test->message);
}

void acknowledge(struct send_test *test, uint32_t segment, uint32_t window, uint64_t now)
{
	struct mad ack;

	mad_ack(&ack, mad_method(test->message), segment, window);
	assert_int_equal(input(test->rmpp, &ack, false, now), RMPP_TAKEN);
}

const struct ib_user_mad *expect_segment(struct send_test *test, uint32_t segment, uint64_t now)
{
	bool last = segment == LENGTH_SEGMENTS;
	const struct ib_user_mad *umad =
		expect_frame(test->rmpp, now, DATA, last ? LAST : 0, 0, segment, last ? 70 : 0);
	size_t offset = SA_HEADER + (segment - 1) * SA_DATA;

	assert_memory_equal(umad->data, test->message->data, 24);
	assert_memory_equal(umad->data + 36, test->message->data + 36, SA_HEADER - 36);
	assert_memory_equal(umad->data + SA_HEADER, test->message->data + offset,
			    last ? 50 : SA_DATA);
	return umad;
}

void expect_first(struct send_test *test, uint64_t now)
{
	expect_frame(test->rmpp, now, DATA, FIRST, 0, 1, TOLD);
}

void expect_window(struct send_test *test, uint32_t window)
{
	expect_first(test, 0);
	acknowledge(test, 1, window, 0);
	for (uint32_t segment = 2; segment <= window && segment <= LENGTH_SEGMENTS; segment++)
		expect_segment(test, segment, 0);
}

uint64_t next_frame_at(struct rmpp *rmpp, uint64_t now)
{
	for (;; now += MS) {
		uint64_t deadline = rmpp_next_deadline(rmpp);

		rmpp_advance(rmpp, now);
		if (rmpp_wants_frame(rmpp)) {
			assert_true(deadline <= now);
			return now;
		}
		assert_true(now < 100000 * MS);
	}
}
