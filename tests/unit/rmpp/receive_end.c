/* SPDX-License-Identifier: BSD-2-Clause */
/* The ends of incoming messages that are not complete, and their remains. */
#include <errno.h>

#include "receiver.h"

static void test_silent_sender_is_aborted(void **state)
{
	struct rmpp *rmpp = *state;
	const struct ib_user_mad *umad;

	segment(rmpp, 1, FIRST, 0, 0);
	expect_ack(rmpp, 1, 9, 0);
	segment(rmpp, 2, 0, 0, 3000 * MS);
	rmpp_advance(rmpp, 5000 * MS);
	segment(rmpp, 2, 0, 0, 6000 * MS); /* nothing new */
	expect_ack(rmpp, 2, 10, 6000 * MS);
	rmpp_advance(rmpp, 7999 * MS);
	expect_no_outcome(rmpp);
	assert_true(rmpp_next_deadline(rmpp) <= 8000 * MS);
	rmpp_advance(rmpp, 8000 * MS);
	umad = expect_frame(rmpp, 8000 * MS, ABORT, 0, TOO_LONG, 0, 0);
	assert_int_equal(mad_method(umad), GET_TABLE);
	expect_outcome(rmpp, false, -ETIMEDOUT, TOO_LONG);
	assert_int_equal(memory.held, 0);
}

static void test_total_time(void **state)
{
	struct rmpp *rmpp = *state;
	const struct ib_user_mad *umad;
	uint64_t now = 0;

	for (uint32_t i = 1; now < 60000 * MS; i++, now += 1000 * MS) {
		rmpp_advance(rmpp, now);
		segment(rmpp, i, i == 1 ? FIRST : 0, 0, now);
		while (next_frame(rmpp, now, &umad))
			;
		expect_no_outcome(rmpp);
	}
	rmpp_advance(rmpp, now);
	expect_frame(rmpp, now, ABORT, 0, TOO_LONG, 0, 0);
	expect_outcome(rmpp, false, -ETIMEDOUT, TOO_LONG);
}

static void test_lingering(void **state)
{
	struct rmpp *rmpp = *state;

	segment(rmpp, 1, FIRST | LAST, 120, 0);
	expect_ack(rmpp, 1, 9, 0);
	/* The message stays until its outcome is taken. */
	rmpp_advance(rmpp, 3000 * MS);
	assert_int_equal(segment(rmpp, 1, FIRST | LAST, 120, 3000 * MS), RMPP_TAKEN);
	expect_ack(rmpp, 1, 9, 3000 * MS);
	expect_message(rmpp, 100);
	rmpp_advance(rmpp, 3999 * MS);
	assert_int_equal(segment(rmpp, 1, FIRST | LAST, 120, 3999 * MS), RMPP_TAKEN);
	expect_ack(rmpp, 1, 9, 3999 * MS);
	rmpp_advance(rmpp, 6000 * MS);
	assert_int_equal(rmpp_next_deadline(rmpp), RMPP_NEVER);
	/* The segment starts another message by now. */
	assert_int_equal(segment(rmpp, 1, FIRST | LAST, 120, 6000 * MS), RMPP_STARTED);
	expect_ack(rmpp, 1, 9, 6000 * MS);
	expect_message(rmpp, 100);
}

/* A new message takes the place of the oldest one that lingers, but of none that is unfinished. */
static void test_new_message_replaces_oldest_lingering(void **state)
{
	struct rmpp *rmpp = *state;
	struct rmpp_frame frame;

	for (uint8_t tid = 1; tid <= 4; tid++)
		assert_int_equal(segment_of(rmpp, tid, 1, tid <= 2 ? FIRST | LAST : FIRST),
				 RMPP_STARTED);
	for (int i = 0; i < 4; i++) {
		assert_true(rmpp_next_frame(rmpp, 0, &frame));
		rmpp_frame_done(rmpp, frame.slot, 0, 0);
	}
	/* The caller has not taken the messages yet. */
	assert_int_equal(segment_of(rmpp, 5, 1, FIRST), RMPP_REFUSED);
	assert_true(rmpp_next_frame(rmpp, 0, &frame));
	assert_int_equal(mad_said(frame.umad).type, STOP);
	assert_int_equal(mad_said(frame.umad).status, NO_RESOURCES);
	rmpp_frame_done(rmpp, frame.slot, 0, 0);
	expect_outcome(rmpp, false, 0, 0);
	expect_outcome(rmpp, false, 0, 0);
	assert_int_equal(segment_of(rmpp, 5, 1, FIRST), RMPP_STARTED);
	assert_int_equal(segment_of(rmpp, 2, 1, FIRST | LAST), RMPP_TAKEN);
	assert_int_equal(segment_of(rmpp, 1, 1, FIRST | LAST), RMPP_STARTED); /* forgotten */
	expect_outcome(rmpp, false, 0, 0);
	assert_int_equal(segment_of(rmpp, 3, 2, 0), RMPP_TAKEN);
	assert_int_equal(segment_of(rmpp, 4, 2, 0), RMPP_TAKEN);
	while (rmpp_next_frame(rmpp, 0, &frame))
		rmpp_frame_done(rmpp, frame.slot, 0, 0);
}

static void test_ended_by_the_sender(void **state)
{
	static const struct {
		uint8_t type, status, told;
	} cases[] = {
		{ STOP, NO_RESOURCES, NO_RESOURCES },
		{ STOP, 77, BAD_STATUS },
		{ ABORT, TOO_MANY_RETRIES, TOO_MANY_RETRIES },
		{ ABORT, 1, BAD_STATUS },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rmpp *rmpp = open_default();
		const struct said said = { 1, cases[i].type, 0, cases[i].status, 0, 0 };
		struct mad mad;

		segment(rmpp, 1, FIRST, 0, 0);
		expect_ack(rmpp, 1, 9, 0);
		mad_prepare(&mad, SA_CLASS, GET_TABLE_RESP);
		mad_say(&mad, &said);
		assert_int_equal(input(rmpp, &mad, true, 0), RMPP_TAKEN);
		expect_outcome(rmpp, false, -ECONNABORTED, cases[i].told);
		expect_no_frame(rmpp, 0);
		assert_int_equal(input(rmpp, &mad, true, 0), RMPP_DISMISSED);
		fixture_close(rmpp);
	}
}

/* A complete message is not taken back. */
static void test_abort_after_completion_changes_nothing(void **state)
{
	struct rmpp *rmpp = *state;
	const struct said said = { 1, ABORT, 0, TOO_LONG, 0, 0 };
	struct mad mad;

	segment(rmpp, 1, FIRST | LAST, 120, 0);
	mad_prepare(&mad, SA_CLASS, GET_TABLE_RESP);
	mad_say(&mad, &said);
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_DISMISSED);
	expect_ack(rmpp, 1, 9, 0);
	expect_message(rmpp, 100);
}

static void test_cancel(void **state)
{
	struct rmpp *rmpp = *state;
	uint64_t id = start(rmpp, 1, FIRST, 0);

	rmpp_cancel(rmpp, id);
	expect_frame(rmpp, 0, ABORT, 0, UNSPECIFIED, 0, 0);
	expect_no_frame(rmpp, 0);
	expect_no_outcome(rmpp);
	assert_int_equal(memory.held, 0);
	rmpp_cancel(rmpp, id);
	expect_no_frame(rmpp, 0);
	/* The entry is used again, and the old id does not name it. */
	id = start(rmpp, 1, FIRST, 0);
	rmpp_cancel(rmpp, id - (UINT64_C(1) << 32));
	rmpp_cancel(rmpp, UINT64_MAX);
	expect_ack(rmpp, 1, 9, 0);
	rmpp_forget(rmpp, id);
	expect_no_frame(rmpp, 0);
	assert_int_equal(memory.held, 0);
	/* Whole, and not taken. */
	id = start(rmpp, 1, FIRST | LAST, 120);
	rmpp_cancel(rmpp, id);
	assert_int_equal(memory.held, 0);
	expect_no_outcome(rmpp);
	/* Whole, and taken. */
	id = start(rmpp, 1, FIRST | LAST, 120);
	expect_ack(rmpp, 1, 9, 0);
	expect_message(rmpp, 100);
	rmpp_forget(rmpp, id);
	assert_int_equal(segment(rmpp, 2, LAST, 120, 0), RMPP_STRAY);
	expect_no_frame(rmpp, 0);
}

/* A message that waits to be taken is the caller's, even when its lane is forgotten. */
static void test_lane_is_forgotten(void **state)
{
	struct rmpp *rmpp = *state;

	segment(rmpp, 1, FIRST | LAST, 120, 0);
	rmpp_forget_lane(rmpp, LANE);
	expect_no_frame(rmpp, 0);
	expect_message(rmpp, 100);
	expect_no_outcome(rmpp);
	/* No more frames are written there. */
	segment(rmpp, 1, FIRST | LAST, 19, 0);
	rmpp_forget_agent(rmpp, LANE, AGENT_ID + 1);
	rmpp_forget_lane(rmpp, LANE + 1);
	assert_true(rmpp_wants_frame(rmpp));
	rmpp_forget_agent(rmpp, LANE, AGENT_ID);
	expect_no_frame(rmpp, 0);
	expect_outcome(rmpp, false, -EPROTO, BAD_LENGTH);
	segment(rmpp, 1, FIRST, 0, 0);
	rmpp_forget_agent(rmpp, LANE, AGENT_ID);
	assert_int_equal(memory.held, 0);
	expect_no_frame(rmpp, 0);
	expect_no_outcome(rmpp);
	rmpp_advance(rmpp, 100000 * MS);
	expect_no_outcome(rmpp);
}

static void refuse_ack(int error)
{
	struct rmpp *rmpp = open_default();
	struct rmpp_frame frame;

	segment(rmpp, 1, FIRST, 0, 0);
	assert_true(rmpp_next_frame(rmpp, 0, &frame));
	rmpp_frame_done(rmpp, frame.slot, error, 0);
	expect_no_frame(rmpp, 0);
	assert_int_equal(rmpp_next_deadline(rmpp), MS);
	rmpp_advance(rmpp, MS);
	expect_ack(rmpp, 1, 9, MS);
	segment(rmpp, 2, LAST, 60, MS);
	assert_true(rmpp_next_frame(rmpp, MS, &frame));
	rmpp_frame_done(rmpp, frame.slot, -EINVAL, MS); /* it has come all the same */
	expect_message(rmpp, SA_DATA + 40);
	fixture_close(rmpp);
}

static void test_ack_not_written(void **state)
{
	refuse_ack(-EAGAIN);
	refuse_ack(-ENOMEM);
	refuse_ack(-ENOBUFS);
}

static const struct CMUnitTest tests[] = {
	RECEIVER_TEST(test_silent_sender_is_aborted),
	RECEIVER_TEST(test_total_time),
	RECEIVER_TEST(test_lingering),
	RECEIVER_TEST(test_new_message_replaces_oldest_lingering),
	cmocka_unit_test(test_ended_by_the_sender),
	RECEIVER_TEST(test_abort_after_completion_changes_nothing),
	RECEIVER_TEST(test_cancel),
	RECEIVER_TEST(test_lane_is_forgotten),
	cmocka_unit_test(test_ack_not_written),
};

TEST_MAIN(tests, NULL, NULL)
