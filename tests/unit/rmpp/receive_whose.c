/* SPDX-License-Identifier: BSD-2-Clause */
/* The message that each segment belongs to. */
#include "receiver.h"

/*
 * An ACK that turns a transfer round may come before a message in one segment; it is stray if no
 * message is accepted.
 */
static void test_turn_before_its_message(void **state)
{
	static const struct said turn = { 1, ACK, 0, 0, 0, 8 };
	static const struct said other = { 1, ACK, 0, 0, 1, 8 };
	struct rmpp *rmpp = *state;
	struct mad mad;

	mad_prepare(&mad, SA_CLASS, GET_TABLE);
	mad_say(&mad, &turn);
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_TAKEN);
	assert_int_equal(rmpp_stats(rmpp)->stray, 0);
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_STRAY);
	mad_say(&mad, &other);
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_STRAY);
	assert_int_equal(rmpp_stats(rmpp)->stray, 2);
	expect_no_frame(rmpp, 0);
}

/* A segment from elsewhere belongs to another message. */
static void test_segment_from_elsewhere_is_stray(void **state)
{
	struct rmpp *rmpp = *state;
	struct rmpp_arrival arrival = { .lane = LANE, .bytes = sizeof(struct mad), .accept = true };
	struct mad mad;

	segment(rmpp, 1, FIRST, 0, 0);
	expect_ack(rmpp, 1, 9, 0);
	arrival.umad = &mad.umad;
	for (int i = 0; i < 9; i++) {
		mad_segment(&mad, 2, 0, 0);
		arrival.lane = i == 0 ? LANE + 1 : LANE;
		mad.umad.agent_id += i == 1;
		mad.umad.addr.lid ^= htobe16(i == 2);
		mad.umad.addr.qpn ^= htobe32(i == 3);
		mad.umad.addr.grh_present = i == 4;
		mad.mad[1] = i == 5 ? DEVICE_CLASS : SA_CLASS;
		mad.mad[2] ^= i == 6;
		mad.mad[3] ^= i == 7 ? 1 : 0;
		mad.mad[15] ^= i == 8;
		assert_int_equal(rmpp_input(rmpp, &arrival, 0, NULL), RMPP_STRAY);
	}
}

/* The GID identifies a sender behind a router; the LID is the router's. */
static void test_behind_a_router(void **state)
{
	struct rmpp *rmpp = *state;
	struct mad mad;

	mad_segment(&mad, 1, FIRST, 0);
	mad.umad.addr.grh_present = 1;
	mad.umad.addr.gid[15] = 1;
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_STARTED);
	mad_segment(&mad, 2, LAST, 60);
	mad.umad.addr.grh_present = 1;
	mad.umad.addr.gid[15] = 2;
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_STRAY);
	mad.umad.addr.gid[15] = 1;
	mad.umad.addr.lid = htobe16(99);
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_TAKEN);
	assert_int_equal(expect_frame(rmpp, 0, ACK, 0, 0, 2, 10)->addr.gid[15], 1);
	expect_outcome(rmpp, false, 0, 0);
}

/* The high half of a TID is ours in a response, and the other end's in a request. */
static void test_high_half_of_the_tid(void **state)
{
	struct rmpp *rmpp = *state;
	struct mad mad;

	mad_segment(&mad, 1, FIRST, 0);
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_STARTED);
	mad_segment(&mad, 2, 0, 0);
	mad.mad[8] ^= 1;
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_TAKEN);
	mad_segment(&mad, 1, FIRST, 0);
	mad.mad[3] = GET_TABLE;
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_STARTED);
	mad_segment(&mad, 2, 0, 0);
	mad.mad[3] = GET_TABLE;
	mad.mad[8] ^= 1;
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_STRAY);
}

static const struct CMUnitTest tests[] = {
	RECEIVER_TEST(test_turn_before_its_message),
	RECEIVER_TEST(test_segment_from_elsewhere_is_stray),
	RECEIVER_TEST(test_behind_a_router),
	RECEIVER_TEST(test_high_half_of_the_tid),
};

TEST_MAIN(tests, NULL, NULL)
