/* SPDX-License-Identifier: BSD-2-Clause */
/* A sender that expects a reply: its writes must make the kernel let the reply through. */
#include <errno.h>

#include "sender.h"

/* Two writes with a timeout stay in the kernel while a reply is expected. */
static void test_reply_expected(void **state)
{
	struct send_test test = begin(GET_TABLE, LENGTH, REPLY_MS);
	const struct ib_user_mad *umad;

	umad = expect_frame(test.rmpp, 0, DATA, FIRST, 0, 1, TOLD);
	assert_int_equal(umad->timeout_ms, REPLY_MS);
	acknowledge(&test, 1, 8, 0);
	assert_int_equal(expect_segment(&test, 2, 0)->timeout_ms, REPLY_MS);
	assert_int_equal(expect_segment(&test, 3, 0)->timeout_ms, REPLY_MS);
	assert_int_equal(expect_segment(&test, 4, 0)->timeout_ms, 0);
	acknowledge(&test, 3, 8, 0); /* one of them is gone */
	assert_int_equal(expect_segment(&test, 5, 0)->timeout_ms, REPLY_MS);
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 5, 8, 0);
	expect_outcome(test.rmpp, true, 0, 0);
	umad = expect_frame(test.rmpp, 0, ACK, 0, 0, 0, 8);
	assert_int_equal(mad_method(umad), GET_TABLE);
	assert_int_equal(umad->timeout_ms, 0); /* one is left */
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 5, 8, 0); /* it has not come there */
	umad = expect_frame(test.rmpp, 0, ACK, 0, 0, 0, 8);
	assert_int_equal(umad->timeout_ms, REPLY_MS);
	rmpp_advance(test.rmpp, 100000 * MS); /* it waits, as long as it takes */
	expect_no_outcome(test.rmpp);
	rmpp_forget(test.rmpp, test.id);
	expect_no_frame(test.rmpp, 0);
	rmpp_forget(test.rmpp, test.id);
	rmpp_cancel(test.rmpp, test.id);
	end(&test);
}

/*
 * A request in one segment has its timeout in both the segment and the ACK that turns the transfer
 * round: the reply may follow the last segment before anything else can be written.
 */
static void test_reply_expected_of_one_segment(void **state)
{
	struct send_test test = begin(GET_TABLE, SA_HEADER + 10, REPLY_MS);
	const struct ib_user_mad *umad;

	umad = expect_frame(test.rmpp, 0, ACK, 0, 0, 0, 8);
	assert_int_equal(umad->timeout_ms, REPLY_MS);
	umad = expect_frame(test.rmpp, 0, DATA, FIRST | LAST, 0, 1, 30);
	assert_int_equal(umad->timeout_ms, REPLY_MS);
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 1, 1, 0);
	expect_outcome(test.rmpp, true, 0, 0);
	umad = expect_frame(test.rmpp, 0, ACK, 0, 0, 0, 8);
	assert_int_equal(umad->timeout_ms, 0);
	rmpp_forget(test.rmpp, test.id);
	end(&test);
}

static void test_reply_expected_of_two_segments(void **state)
{
	struct send_test test = begin(GET_TABLE, SA_HEADER + 210, REPLY_MS);
	const struct ib_user_mad *umad;

	umad = expect_frame(test.rmpp, 0, DATA, FIRST, 0, 1, 250);
	assert_int_equal(umad->timeout_ms, REPLY_MS);
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 1, 8, 0); /* and its wait is gone */
	umad = expect_frame(test.rmpp, 0, ACK, 0, 0, 0, 8);
	assert_int_equal(umad->timeout_ms, REPLY_MS);
	umad = expect_frame(test.rmpp, 0, DATA, LAST, 0, 2, 30);
	assert_int_equal(umad->timeout_ms, REPLY_MS);
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 2, 8, 0);
	expect_outcome(test.rmpp, true, 0, 0);
	rmpp_forget(test.rmpp, test.id);
	end(&test);
}

/* A repeated segment is acknowledged twice, and the second ACK may come late. */
static void test_reply_expected_after_a_repeat(void **state)
{
	struct send_test test = begin(GET_TABLE, SA_HEADER + 210, REPLY_MS);
	uint64_t now;

	expect_frame(test.rmpp, 0, DATA, FIRST, 0, 1, 250);
	now = next_frame_at(test.rmpp, 0);
	assert_int_equal(expect_frame(test.rmpp, now, DATA, FIRST, 0, 1, 250)->timeout_ms,
			 REPLY_MS);
	acknowledge(&test, 1, 8, now);
	assert_int_equal(expect_frame(test.rmpp, now, ACK, 0, 0, 0, 8)->timeout_ms, REPLY_MS);
	assert_int_equal(expect_frame(test.rmpp, now, DATA, LAST, 0, 2, 30)->timeout_ms, REPLY_MS);
	expect_no_frame(test.rmpp, now);
	acknowledge(&test, 2, 8, now);
	expect_outcome(test.rmpp, true, 0, 0);
	rmpp_forget(test.rmpp, test.id);
	end(&test);
}

/* A write that the device refused lets no reply through. */
static void test_reply_expected_without_room(void **state)
{
	struct send_test test = begin(GET_TABLE, SA_HEADER + 10, REPLY_MS);
	struct rmpp_frame frame[2];

	for (int i = 0; i < 2; i++)
		assert_true(rmpp_next_frame(test.rmpp, 0, &frame[i]));
	for (int i = 0; i < 2; i++)
		rmpp_frame_done(test.rmpp, frame[i].slot, -EAGAIN, 0);
	rmpp_advance(test.rmpp, MS);
	assert_int_equal(expect_frame(test.rmpp, MS, ACK, 0, 0, 0, 8)->timeout_ms, REPLY_MS);
	assert_int_equal(expect_frame(test.rmpp, MS, DATA, FIRST | LAST, 0, 1, 30)->timeout_ms,
			 REPLY_MS);
	expect_no_frame(test.rmpp, MS);
	acknowledge(&test, 1, 1, MS);
	expect_outcome(test.rmpp, true, 0, 0);
	rmpp_forget(test.rmpp, test.id);
	end(&test);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_reply_expected),
	cmocka_unit_test(test_reply_expected_of_one_segment),
	cmocka_unit_test(test_reply_expected_of_two_segments),
	cmocka_unit_test(test_reply_expected_after_a_repeat),
	cmocka_unit_test(test_reply_expected_without_room),
};

TEST_MAIN(tests, NULL, NULL)
