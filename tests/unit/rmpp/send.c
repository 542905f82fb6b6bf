/* SPDX-License-Identifier: BSD-2-Clause */
/* Outgoing messages, rule by rule. */
#include <errno.h>
#include <stdlib.h>

#include "sender.h"

static void test_segments(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	const struct ib_user_mad *umad;

	umad = expect_frame(test.rmpp, 0, DATA, FIRST, 0, 1, TOLD);
	assert_int_equal(mad_method(umad), GET_TABLE_RESP);
	assert_int_equal(umad->timeout_ms, 0);
	assert_memory_equal(umad->data + SA_HEADER, test.message->data + SA_HEADER, SA_DATA);
	expect_no_frame(test.rmpp, 0); /* the window begins with 1 */
	acknowledge(&test, 1, 3, 0);
	expect_segment(&test, 2, 0);
	expect_segment(&test, 3, 0);
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 2, 4, 0);
	expect_segment(&test, 4, 0);
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 4, UINT32_MAX, 0);
	umad = expect_segment(&test, 5, 0);
	for (size_t i = 50; i < SA_DATA; i++)
		assert_int_equal(umad->data[SA_HEADER + i], 0);
	expect_no_outcome(test.rmpp);
	acknowledge(&test, 5, 5, 0);
	expect_outcome(test.rmpp, true, 0, 0);
	assert_int_equal(rmpp_stats(test.rmpp)->sent, 1);
	assert_int_equal(rmpp_stats(test.rmpp)->segments, 5);
	assert_int_equal(rmpp_stats(test.rmpp)->resent, 0);
	end(&test);
}

/* Lengths around the ends of segments, and what is told of each. */
static void test_lengths(void **state)
{
	static const struct {
		uint32_t mgmt_class, length, segments, first, last;
	} cases[] = {
		{ SA_CLASS, 56, 1, 20, 20 },
		{ SA_CLASS, 57, 1, 21, 21 },
		{ SA_CLASS, 256, 1, 220, 220 },
		{ SA_CLASS, 257, 2, 241, 21 },
		{ SA_CLASS, 56 + 400, 2, 440, 220 },
		{ VENDOR_CLASS, 40, 1, 4, 4 },
		{ VENDOR_CLASS, 40 + 216, 1, 220, 220 },
		{ VENDOR_CLASS, 40 + 217, 2, 225, 5 },
		{ DEVICE_CLASS, 64 + 192, 1, 220, 220 },
		{ DEVICE_CLASS, 64 + 3 * 192 + 1, 4, 689, 29 },
		{ 0x10, 64 + 193, 2, 249, 29 },
		{ 0x12, 64 + 193, 2, 249, 29 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rmpp_config config = fixture_config();
		struct rmpp *rmpp = fixture_open(&config);
		struct ib_user_mad *message =
			message_make((uint8_t)cases[i].mgmt_class, 0x01, cases[i].length);
		bool one = cases[i].segments == 1;
		struct mad ack;

		message_send(rmpp, message, cases[i].length, 0, 0);
		expect_frame(rmpp, 0, DATA, one ? FIRST | LAST : FIRST, 0, 1, cases[i].first);
		mad_ack(&ack, 0x01, 1, 64);
		ack.mad[1] = (uint8_t)cases[i].mgmt_class;
		assert_int_equal(input(rmpp, &ack, false, 0), RMPP_TAKEN);
		for (uint32_t segment = 2; segment < cases[i].segments; segment++)
			expect_frame(rmpp, 0, DATA, 0, 0, segment, 0);
		if (!one)
			expect_frame(rmpp, 0, DATA, LAST, 0, cases[i].segments, cases[i].last);
		expect_no_frame(rmpp, 0);
		fixture_close(rmpp);
		free(message);
	}
}

static int send_error(struct rmpp *rmpp, const struct ib_user_mad *message, size_t length)
{
	const struct rmpp_message how = { .umad = message, .length = length, .lane = LANE };
	uint64_t id;

	return rmpp_send(rmpp, &how, 0, &id);
}

static void test_not_sendable(void **state)
{
	struct rmpp_config config = fixture_config();
	struct rmpp *rmpp = fixture_open(&config);
	struct ib_user_mad *message = message_make(SA_CLASS, 0x01, LENGTH);

	assert_int_equal(send_error(rmpp, message, SA_HEADER - 1), -EINVAL);
	assert_int_equal(send_error(rmpp, message, (size_t)RMPP_MAX_MESSAGE + 1), -EINVAL);
	message->data[0] = 0x80;
	assert_int_equal(send_error(rmpp, message, LENGTH), -EINVAL);
	message->data[0] = 1;
	message->data[1] = 0x04; /* performance management has none */
	assert_int_equal(send_error(rmpp, message, LENGTH), -EINVAL);
	message->data[1] = 0x0a; /* nor has the vendors' first range */
	assert_int_equal(send_error(rmpp, message, LENGTH), -EINVAL);
	message->data[1] = SA_CLASS;
	for (uint32_t i = 0; i < config.sends; i++) {
		message->data[15] = (uint8_t)i;
		assert_int_equal(send_error(rmpp, message, LENGTH), 0);
		assert_int_equal(send_error(rmpp, message, LENGTH), -EEXIST);
	}
	message->data[15] = 0xff;
	assert_int_equal(send_error(rmpp, message, LENGTH), -EAGAIN);
	fixture_close(rmpp);
	free(message);
}

static void test_gap(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);

	expect_window(&test, 5);
	acknowledge(&test, 1, 5, 0);
	expect_segment(&test, 2, 0);
	acknowledge(&test, 1, 5, 0); /* the same one is not written a third time */
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 3, 5, 0); /* there is another gap */
	expect_segment(&test, 4, 0);
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 5, 5, 0);
	expect_outcome(test.rmpp, true, 0, 0);
	assert_int_equal(rmpp_stats(test.rmpp)->resent, 2);
	end(&test);
}

/* An ACK that a later one has overtaken changes nothing. */
static void test_old_ack(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);

	expect_window(&test, 4);
	acknowledge(&test, 3, 4, 0);
	acknowledge(&test, 2, 4, 0);
	acknowledge(&test, 1, 3, 0);
	acknowledge(&test, 3, 3, 0);
	expect_no_frame(test.rmpp, 0);
	rmpp_cancel(test.rmpp, test.id);
	expect_frame(test.rmpp, 0, ABORT, 0, UNSPECIFIED, 0, 0);
	end(&test);
}

static void test_bad_acks(void **state)
{
	static const struct {
		struct said ack;
		uint8_t status;
	} cases[] = {
		{ { 1, ACK, 0, 1, 1, 8 }, BAD_STATUS },
		{ { 1, ACK, 0, 127, 1, 8 }, BAD_STATUS },
		{ { 1, ACK, 0, 0, 2, 1 }, WINDOW_TOO_SMALL },
		{ { 1, ACK, 0, 0, UINT32_MAX, 0 }, WINDOW_TOO_SMALL },
		{ { 1, ACK, 0, 0, 4, 8 }, SEGMENT_TOO_BIG }, /* not written yet */
		{ { 1, ACK, 0, 0, 6, 8 }, SEGMENT_TOO_BIG },
		{ { 1, ACK, 0, 0, UINT32_MAX, UINT32_MAX }, SEGMENT_TOO_BIG },
		{ { 1, ACK, 0, 0, 0x80000000, 0x80000000 }, SEGMENT_TOO_BIG },
		{ { 2, ACK, 0, 0, 1, 8 }, BAD_VERSION },
		{ { 0, DATA, 0, 0, 1, 8 }, BAD_VERSION },
		{ { 1, 0, 0, 0, 1, 8 }, BAD_TYPE },
		{ { 1, 5, 0, 0, 1, 8 }, BAD_TYPE },
		{ { 1, 255, 0, 0, 1, 8 }, BAD_TYPE },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
		const struct ib_user_mad *umad;
		struct mad ack;

		expect_first(&test, 0);
		acknowledge(&test, 1, 3, 0);
		expect_segment(&test, 2, 0);
		expect_segment(&test, 3, 0);
		mad_ack(&ack, GET_TABLE_RESP, 0, 0);
		mad_say(&ack, &cases[i].ack);
		assert_int_equal(input(test.rmpp, &ack, false, 0), RMPP_TAKEN);
		umad = expect_frame(test.rmpp, 0, ABORT, 0, cases[i].status, 0, 0);
		assert_int_equal(mad_method(umad), GET_TABLE_RESP);
		expect_outcome(test.rmpp, true, -EPROTO, cases[i].status);
		assert_int_equal(input(test.rmpp, &ack, false, 0), RMPP_STRAY);
		end(&test);
	}
}

/* The receiver has the response already, to an earlier attempt of the same request. */
static void test_early_ack_of_all_segments_ends_sending(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);

	expect_first(&test, 0);
	acknowledge(&test, 5, 8, 0);
	rmpp_check(test.rmpp);
	expect_outcome(test.rmpp, true, 0, 0);
	expect_no_frame(test.rmpp, 0);
	end(&test);
}

/* So is a request that waits for its reply afterwards. */
static void test_request_acknowledged_early(void **state)
{
	struct send_test test = begin(GET_TABLE, LENGTH, REPLY_MS);

	expect_first(&test, 0);
	acknowledge(&test, 5, 8, 0);
	rmpp_check(test.rmpp);
	expect_outcome(test.rmpp, true, 0, 0);
	expect_frame(test.rmpp, 0, ACK, 0, 0, 0, 8); /* the reply is the receiver's turn */
	rmpp_check(test.rmpp);
	rmpp_forget(test.rmpp, test.id);
	end(&test);
}

static void test_receiver_ends_sending(void **state)
{
	static const struct {
		uint8_t type, status, told;
	} cases[] = {
		{ STOP, NO_RESOURCES, NO_RESOURCES },
		{ STOP, 0, BAD_STATUS },
		{ STOP, TOO_LONG, BAD_STATUS },
		{ ABORT, TOO_LONG, TOO_LONG },
		{ ABORT, UNSPECIFIED, UNSPECIFIED },
		{ ABORT, 0, BAD_STATUS },
		{ ABORT, 1, BAD_STATUS },
		{ ABORT, 117, BAD_STATUS },
		{ ABORT, 128, BAD_STATUS },
		{ ABORT, 255, BAD_STATUS },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
		const struct said said = { 1, cases[i].type, 0, cases[i].status, 0, 0 };
		struct mad mad;

		expect_first(&test, 0);
		acknowledge(&test, 1, 3, 0);
		mad_prepare(&mad, SA_CLASS, GET_TABLE);
		mad_say(&mad, &said);
		assert_int_equal(input(test.rmpp, &mad, false, 0), RMPP_TAKEN);
		expect_outcome(test.rmpp, true, -ECONNABORTED, cases[i].told);
		expect_no_frame(test.rmpp, 0);
		assert_int_equal(input(test.rmpp, &mad, true, 0), RMPP_DISMISSED);
		end(&test);
	}
}

static void test_no_room_in_the_device(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	struct rmpp_frame frame[3];

	expect_first(&test, 0);
	acknowledge(&test, 1, 8, 0);
	for (int i = 0; i < 3; i++)
		assert_true(rmpp_next_frame(test.rmpp, 0, &frame[i]));
	rmpp_frame_done(test.rmpp, frame[0].slot, 0, 0);
	rmpp_frame_done(test.rmpp, frame[1].slot, -EAGAIN, 0);
	rmpp_frame_done(test.rmpp, frame[2].slot, -EAGAIN, 0);
	expect_no_frame(test.rmpp, 0);
	rmpp_advance(test.rmpp, MS);
	for (uint32_t segment = 3; segment <= 5; segment++)
		expect_segment(&test, segment, MS);
	expect_no_frame(test.rmpp, MS);
	acknowledge(&test, 5, 8, MS);
	expect_outcome(test.rmpp, true, 0, 0);
	end(&test);
}

/*
 * Refuses the next frame @count times in a row, and requires a pause after each, twice as long as
 * the one before; the first is a tick. Returns when the last of them is over.
 */
static uint64_t refuse_frame(struct rmpp *rmpp, int error, unsigned int count, uint64_t now)
{
	struct rmpp_frame frame;

	for (unsigned int i = 0; i < count; i++) {
		uint64_t end = now + (MS << i);

		assert_true(rmpp_next_frame(rmpp, now, &frame));
		rmpp_frame_done(rmpp, frame.slot, error, now);
		expect_no_frame(rmpp, now);
		expect_no_outcome(rmpp);
		now = next_frame_at(rmpp, now);
		assert_int_equal(now, end);
	}
	return now;
}

static void test_no_memory_in_the_kernel(void **state)
{
	static const int errors[] = { -ENOMEM, -ENOBUFS };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
		uint64_t now;

		now = refuse_frame(test.rmpp, errors[i], 3, 0);
		expect_first(&test, now);
		acknowledge(&test, 1, 8, now);
		expect_segment(&test, 2, now);
		/* A write that succeeds has the pauses begin anew. */
		now = refuse_frame(test.rmpp, errors[i], 10, now);
		for (uint32_t segment = 3; segment <= 5; segment++)
			expect_segment(&test, segment, now);
		expect_no_frame(test.rmpp, now);
		acknowledge(&test, 5, 8, now);
		expect_outcome(test.rmpp, true, 0, 0);
		end(&test);
	}
}

/* Segments that were handed out before a pause neither lengthen nor shorten it. */
static void test_no_memory_for_a_window(void **state)
{
	enum { SEGMENTS = 20 };
	struct send_test test = begin(GET_TABLE_RESP, SA_HEADER + SEGMENTS * SA_DATA, 0);
	struct rmpp_frame frame[SEGMENTS];
	uint64_t now = 0;

	expect_frame(test.rmpp, 0, DATA, FIRST, 0, 1, SEGMENTS * PAYLOAD);
	acknowledge(&test, 1, SEGMENTS, 0);
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 1; i < SEGMENTS; i++)
			assert_true(rmpp_next_frame(test.rmpp, now, &frame[i]));
		for (unsigned int i = 1; i < SEGMENTS; i++)
			rmpp_frame_done(test.rmpp, frame[i].slot, i % 2 ? -ENOMEM : -EAGAIN, now);
		expect_no_outcome(test.rmpp);
		expect_no_frame(test.rmpp, now);
		assert_int_equal(next_frame_at(test.rmpp, now), now + (MS << round));
		now += MS << round;
	}
	for (uint32_t segment = 2; segment < SEGMENTS; segment++)
		expect_frame(test.rmpp, now, DATA, 0, 0, segment, 0);
	expect_frame(test.rmpp, now, DATA, LAST, 0, SEGMENTS, PAYLOAD);
	acknowledge(&test, SEGMENTS, SEGMENTS, now);
	expect_outcome(test.rmpp, true, 0, 0);
	end(&test);
}

static void test_lasting_enomem_ends_sending(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	struct rmpp_frame frame;
	uint64_t now;

	now = refuse_frame(test.rmpp, -ENOMEM, 10, 0);
	assert_true(rmpp_next_frame(test.rmpp, now, &frame));
	rmpp_frame_done(test.rmpp, frame.slot, -ENOMEM, now);
	expect_outcome(test.rmpp, true, -ENOMEM, 0);
	end(&test);
}

static void test_write_fails(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	struct rmpp_frame frame[2];

	expect_first(&test, 0);
	acknowledge(&test, 1, 8, 0);
	assert_true(rmpp_next_frame(test.rmpp, 0, &frame[0]));
	assert_true(rmpp_next_frame(test.rmpp, 0, &frame[1]));
	rmpp_frame_done(test.rmpp, frame[0].slot, -EINVAL, 0);
	expect_outcome(test.rmpp, true, -EINVAL, 0);
	rmpp_frame_done(test.rmpp, frame[1].slot, -EINVAL, 0);
	end(&test);
}

/* A frame is given once until it is done, and the next one waits for it. */
static void test_frames_are_bounded(void **state)
{
	struct rmpp_config config = fixture_config();
	struct ib_user_mad *message = message_make(SA_CLASS, GET_TABLE_RESP, LENGTH);
	struct rmpp_frame frame[3];
	struct rmpp *rmpp;
	struct mad ack;
	uint64_t id;

	config.frames = 2;
	rmpp = fixture_open(&config);
	id = message_send(rmpp, message, LENGTH, 0, 0);
	expect_frame(rmpp, 0, DATA, FIRST, 0, 1, TOLD);
	mad_ack(&ack, GET_TABLE_RESP, 1, 8);
	input(rmpp, &ack, false, 0);
	assert_true(rmpp_next_frame(rmpp, 0, &frame[0]));
	assert_true(rmpp_next_frame(rmpp, 0, &frame[1]));
	assert_int_not_equal(frame[0].slot, frame[1].slot);
	expect_no_frame(rmpp, 0);
	rmpp_frame_done(rmpp, frame[0].slot, 0, 0);
	assert_true(rmpp_next_frame(rmpp, 0, &frame[2]));
	expect_no_frame(rmpp, 0);
	rmpp_cancel(rmpp, id); /* there is none for the ABORT */
	assert_int_equal(rmpp_stats(rmpp)->dropped, 1);
	rmpp_frame_done(rmpp, frame[1].slot, 0, 0);
	rmpp_frame_done(rmpp, frame[2].slot, 0, 0);
	expect_no_frame(rmpp, 0);
	fixture_close(rmpp);
	free(message);
}

/* Messages take turns, segment by segment. */
static void test_taking_turns(void **state)
{
	struct rmpp_config config = fixture_config();
	struct ib_user_mad *message[3];
	struct rmpp *rmpp = fixture_open(&config);
	struct rmpp_frame frame;
	struct mad ack;

	for (uint8_t i = 0; i < 3; i++) {
		message[i] = message_make(SA_CLASS, GET_TABLE_RESP, LENGTH);
		message[i]->data[15] = i;
		message_send(rmpp, message[i], LENGTH, 0, 0);
	}
	for (uint8_t i = 0; i < 3; i++) {
		assert_true(rmpp_next_frame(rmpp, 0, &frame));
		rmpp_frame_done(rmpp, frame.slot, 0, 0);
	}
	for (uint8_t i = 0; i < 3; i++) {
		mad_ack(&ack, GET_TABLE_RESP, 1, 8);
		ack.mad[15] = i;
		assert_int_equal(input(rmpp, &ack, false, 0), RMPP_TAKEN);
	}
	for (uint32_t i = 0; i < 12; i++) {
		assert_true(rmpp_next_frame(rmpp, 0, &frame));
		assert_int_equal(frame.umad->data[15], i % 3);
		assert_int_equal(mad_said(frame.umad).segment, 2 + i / 3);
		rmpp_frame_done(rmpp, frame.slot, 0, 0);
	}
	expect_no_frame(rmpp, 0);
	fixture_close(rmpp);
	for (uint8_t i = 0; i < 3; i++)
		free(message[i]);
}

/* Answers from elsewhere are not the other end's. */
static void test_ack_from_elsewhere_is_stray(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	struct rmpp_arrival arrival = { .lane = LANE, .bytes = sizeof(struct mad) };
	struct mad ack;

	expect_first(&test, 0);
	arrival.umad = &ack.umad;
	for (int i = 0; i < 9; i++) {
		mad_ack(&ack, GET_TABLE_RESP, 1, 8);
		arrival.lane = i == 0 ? LANE + 1 : LANE;
		ack.umad.agent_id += i == 1;
		ack.umad.addr.lid ^= htobe16(i == 2);
		ack.umad.addr.qpn ^= htobe32(i == 3);
		ack.umad.addr.grh_present = i == 4;
		ack.mad[2] ^= i == 5;
		ack.mad[3] ^= i == 6 ? 1 : 0;
		ack.mad[8] ^= i == 7; /* of a response's TID both halves count */
		ack.mad[15] ^= i == 8;
		assert_int_equal(rmpp_input(test.rmpp, &arrival, 0, NULL), RMPP_STRAY);
	}
	expect_no_frame(test.rmpp, 0);
	acknowledge(&test, 1, 8, 0);
	assert_true(rmpp_wants_frame(test.rmpp));
	rmpp_forget(test.rmpp, test.id);
	fixture_close(test.rmpp);
	free(test.message);
}

/* The kernel writes the high half of a request's TID. */
static void test_tid_of_a_request(void **state)
{
	struct send_test test = begin(GET_TABLE, LENGTH, REPLY_MS);
	struct mad ack;

	expect_first(&test, 0);
	mad_ack(&ack, GET_TABLE, 1, 2);
	ack.mad[8] ^= 0xff;
	assert_int_equal(input(test.rmpp, &ack, false, 0), RMPP_TAKEN);
	expect_segment(&test, 2, 0);
	rmpp_forget(test.rmpp, test.id);
	end(&test);
}

static void test_lane_is_forgotten(void **state)
{
	struct send_test test = begin(GET_TABLE_RESP, LENGTH, 0);
	struct rmpp_frame frame;

	assert_true(rmpp_next_frame(test.rmpp, 0, &frame));
	rmpp_forget_lane(test.rmpp, LANE + 1);
	rmpp_forget_agent(test.rmpp, LANE, AGENT_ID + 1);
	acknowledge(&test, 1, 8, 0);
	rmpp_forget_agent(test.rmpp, LANE, AGENT_ID);
	rmpp_frame_done(test.rmpp, frame.slot, -ENODEV, 0);
	expect_no_outcome(test.rmpp);
	rmpp_cancel(test.rmpp, test.id);
	fixture_close(test.rmpp);
	free(test.message);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_segments),
	cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_not_sendable),
	cmocka_unit_test(test_gap),
	cmocka_unit_test(test_old_ack),
	cmocka_unit_test(test_bad_acks),
	cmocka_unit_test(test_early_ack_of_all_segments_ends_sending),
	cmocka_unit_test(test_request_acknowledged_early),
	cmocka_unit_test(test_receiver_ends_sending),
	cmocka_unit_test(test_no_room_in_the_device),
	cmocka_unit_test(test_no_memory_in_the_kernel),
	cmocka_unit_test(test_no_memory_for_a_window),
	cmocka_unit_test(test_lasting_enomem_ends_sending),
	cmocka_unit_test(test_write_fails),
	cmocka_unit_test(test_frames_are_bounded),
	cmocka_unit_test(test_taking_turns),
	cmocka_unit_test(test_ack_from_elsewhere_is_stray),
	cmocka_unit_test(test_tid_of_a_request),
	cmocka_unit_test(test_lane_is_forgotten),
};

TEST_MAIN(tests, NULL, NULL)
