/* SPDX-License-Identifier: BSD-2-Clause */
/* The times at which segments are repeated, and given up. */
#include <errno.h>

#include "sender.h"

static void test_retries(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	uint64_t now = 0;

	expect_first(&test, 0);
	acknowledge(&test, 1, 3, 0); /* a round trip of nothing */
	expect_segment(&test, 2, 0);
	expect_segment(&test, 3, 0);
	acknowledge(&test, 2, 3, 20 * MS);
	/* RFC 6298: an eighth of the 20 ms, and 4 times a quarter of them. */
	now = next_frame_at(test.rmpp, 20 * MS);
	assert_int_equal(now, 20 * MS + 23 * MS);
	for (unsigned int retry = 1; retry <= 3; retry++) {
		uint64_t before = now;

		expect_segment(&test, 3, now);
		expect_no_frame(test.rmpp, now);
		now = next_frame_at(test.rmpp, now);
		assert_int_equal(now - before, 45 * MS << (retry - 1));
	}
	assert_int_equal(mad_method(expect_frame(test.rmpp, now, ABORT, 0, TOO_MANY_RETRIES, 0, 0)),
			 GET_TABLE_RESP);
	expect_outcome(test.rmpp, true, -ETIMEDOUT, TOO_MANY_RETRIES);
	end(&test);
}

/* Karn's rule discards the sample: the ACK may be of either attempt. */
static void test_round_trip_of_a_repeat(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);

	expect_window(&test, 4);
	acknowledge(&test, 1, 4, 0);
	expect_segment(&test, 2, 0);
	acknowledge(&test, 4, 5, 50 * MS);
	expect_segment(&test, 5, 50 * MS);
	assert_int_equal(next_frame_at(test.rmpp, 50 * MS), 60 * MS); /* the least there is */
	rmpp_forget(test.rmpp, test.id);
	end(&test);
}

static void test_never_early(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	uint64_t now = MS / 2;

	expect_first(&test, now);
	rmpp_advance(test.rmpp, 100 * MS);
	expect_no_frame(test.rmpp, 100 * MS);
	rmpp_advance(test.rmpp, 101 * MS);
	expect_first(&test, 101 * MS);
	rmpp_forget(test.rmpp, test.id);
	end(&test);
}

static void test_retries_begin_anew(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	uint64_t now = 0;

	for (int i = 0; i < 4; i++) {
		expect_first(&test, now);
		if (i < 3)
			now = next_frame_at(test.rmpp, now);
	}
	acknowledge(&test, 1, 2, now);
	for (int i = 0; i < 4; i++) {
		expect_segment(&test, 2, now);
		now = next_frame_at(test.rmpp, now);
	}
	expect_frame(test.rmpp, now, ABORT, 0, TOO_MANY_RETRIES, 0, 0);
	expect_outcome(test.rmpp, true, -ETIMEDOUT, TOO_MANY_RETRIES);
	end(&test);
}

/* All segments behind the last ACK are repeated, because nothing is known of them. */
static void test_whole_window_again(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	uint64_t now;

	expect_window(&test, 8);
	acknowledge(&test, 2, 8, 0);
	now = next_frame_at(test.rmpp, 0);
	for (uint32_t segment = 3; segment <= 5; segment++)
		expect_segment(&test, segment, now);
	expect_no_frame(test.rmpp, now);
	assert_int_equal(rmpp_stats(test.rmpp)->resent, 3);
	acknowledge(&test, 5, 8, now);
	expect_outcome(test.rmpp, true, 0, 0);
	end(&test);
}

static void test_total_time(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	uint64_t now = 0;

	expect_first(&test, 0);
	acknowledge(&test, 1, 2, 0);
	expect_segment(&test, 2, 0);
	/* The other end goes on to answer, and never takes more. */
	while (now < 59999 * MS) {
		now += MS;
		acknowledge(&test, 2, 2, now);
		rmpp_advance(test.rmpp, now);
		expect_no_frame(test.rmpp, now);
	}
	rmpp_advance(test.rmpp, 60000 * MS);
	expect_frame(test.rmpp, now, ABORT, 0, TOO_LONG, 0, 0);
	expect_outcome(test.rmpp, true, -ETIMEDOUT, TOO_LONG);
	end(&test);
}

/*
 * A sender whose window is closed repeats its last segment, to learn whether the other end is
 * alive.
 */
static void test_closed_window(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	uint64_t now;

	expect_first(&test, 0);
	acknowledge(&test, 1, 3, 0);
	expect_segment(&test, 2, 0);
	expect_segment(&test, 3, 0);
	acknowledge(&test, 3, 3, 0);
	expect_no_frame(test.rmpp, 0);
	now = next_frame_at(test.rmpp, 0);
	expect_segment(&test, 3, now);
	expect_no_frame(test.rmpp, now);
	acknowledge(&test, 3, 5, now);
	expect_segment(&test, 4, now);
	expect_segment(&test, 5, now);
	acknowledge(&test, 5, 5, now);
	expect_outcome(test.rmpp, true, 0, 0);
	end(&test);
}

static void test_response_time(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	struct mad ack;
	uint64_t now;

	expect_first(&test, 0);
	mad_ack(&ack, GET_TABLE_RESP, 1, 8);
	ack.mad[26] = 16 << 3 | 1; /* 4.096 us * 2^16 = 268 ms */
	assert_int_equal(input(test.rmpp, &ack, false, MS), RMPP_TAKEN);
	for (uint32_t segment = 2; segment <= 5; segment++)
		expect_segment(&test, segment, MS);
	now = next_frame_at(test.rmpp, MS);
	assert_in_range(now, 269 * MS, 271 * MS);
	rmpp_cancel(test.rmpp, test.id);
	expect_frame(test.rmpp, now, ABORT, 0, UNSPECIFIED, 0, 0);
	end(&test);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_retries),
	cmocka_unit_test(test_round_trip_of_a_repeat),
	cmocka_unit_test(test_never_early),
	cmocka_unit_test(test_retries_begin_anew),
	cmocka_unit_test(test_whole_window_again),
	cmocka_unit_test(test_total_time),
	cmocka_unit_test(test_closed_window),
	cmocka_unit_test(test_response_time),
};

TEST_MAIN(tests, NULL, NULL)
