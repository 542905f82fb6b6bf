/* SPDX-License-Identifier: BSD-2-Clause */
/* Incoming messages, rule by rule. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "receiver.h"

static void test_one_segment(void **state)
{
	static const uint32_t lengths[] = { 20, 21, 219, 220 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct rmpp *rmpp = open_default();

		assert_int_equal(segment(rmpp, 1, FIRST | LAST, lengths[i], 0), RMPP_STARTED);
		expect_ack(rmpp, 1, 9, 0);
		expect_message(rmpp, lengths[i] - 20);
		expect_no_frame(rmpp, 0);
		expect_no_outcome(rmpp);
		fixture_close(rmpp);
	}
}

/*
 * The first segment is acknowledged, then every half of a window, and the last one. A sender that
 * may write all its segments needs no ACK at a half.
 */
static void in_order(uint32_t told)
{
	struct rmpp *rmpp = open_default();

	assert_int_equal(segment(rmpp, 1, FIRST, told, 0), RMPP_STARTED);
	expect_ack(rmpp, 1, 9, 0);
	for (uint32_t i = 2; i <= 12; i++) {
		expect_no_frame(rmpp, 0);
		expect_no_outcome(rmpp);
		assert_int_equal(segment(rmpp, i, i == 12 ? LAST : 0, i == 12 ? 60 : 0, 0),
				 RMPP_TAKEN);
		if (i == 5 || (i == 9 && !told))
			expect_ack(rmpp, i, i + 8, 0);
	}
	expect_ack(rmpp, 12, 20, 0);
	expect_message(rmpp, 11 * SA_DATA + 40);
	assert_int_equal(rmpp_stats(rmpp)->received, 1);
	assert_int_equal(rmpp_stats(rmpp)->segments_in, 12);
	assert_int_equal(rmpp_stats(rmpp)->repeated_in, 0);
	fixture_close(rmpp);
}

static void test_in_order(void **state)
{
	in_order(11 * PAYLOAD + 60);
	in_order(0);
}

/* ACKs that wait to be written become one, with the latest state. */
static void test_acks_become_one(void **state)
{
	struct rmpp *rmpp = *state;

	segment(rmpp, 1, FIRST, 0, 0);
	for (uint32_t i = 2; i <= 8; i++)
		segment(rmpp, i, 0, 0, 0);
	expect_ack(rmpp, 8, 16, 0);
	expect_no_frame(rmpp, 0);
}

static void test_out_of_order(void **state)
{
	struct rmpp *rmpp = *state;

	segment(rmpp, 1, FIRST, 0, 0);
	expect_ack(rmpp, 1, 9, 0);
	segment(rmpp, 8, LAST, 20 + 7, 0);
	expect_ack(rmpp, 1, 9, 0); /* the last one has come: there will be no more to show a gap */
	for (uint32_t i = 7; i > 1; i--) {
		expect_no_outcome(rmpp);
		assert_int_equal(segment(rmpp, i, 0, 0, 0), RMPP_TAKEN);
	}
	expect_ack(rmpp, 8, 16, 0);
	expect_message(rmpp, 7 * SA_DATA + 7);
}

/* A segment other than the first starts no message. */
static void test_begins_with_the_first(void **state)
{
	struct rmpp *rmpp = *state;

	assert_int_equal(segment(rmpp, 2, 0, 0, 0), RMPP_STRAY);
	assert_int_equal(segment(rmpp, 2, LAST, 60, 0), RMPP_STRAY);
	assert_int_equal(memory.takes, 0);
	expect_no_frame(rmpp, 0);
	assert_int_equal(rmpp_stats(rmpp)->stray, 2);
}

static void test_not_accepted(void **state)
{
	struct rmpp *rmpp = *state;
	struct mad mad;

	mad_segment(&mad, 1, FIRST, 0);
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_STRAY);
	mad.mad[27] = 1;
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_STRAY);
	mad.mad[24] = 2;
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_STRAY);
	expect_no_frame(rmpp, 0);
}

static void test_unwanted(void **state)
{
	struct rmpp *rmpp = *state;
	struct rmpp_arrival arrival = { .lane = LANE,
					.bytes = sizeof(struct mad),
					.unwanted = true };
	struct mad mad;

	arrival.umad = &mad.umad;
	mad_segment(&mad, 5, 0, 0);
	assert_int_equal(rmpp_input(rmpp, &arrival, 0, NULL), RMPP_REFUSED);
	expect_frame(rmpp, 0, ABORT, 0, UNSPECIFIED, 0, 0);
	/* The message was accepted before, so its repeated segment is acknowledged. */
	segment(rmpp, 1, FIRST | LAST, 120, 0);
	expect_ack(rmpp, 1, 9, 0);
	expect_message(rmpp, 100);
	mad_segment(&mad, 1, FIRST | LAST, 120);
	assert_int_equal(rmpp_input(rmpp, &arrival, MS, NULL), RMPP_TAKEN);
	expect_ack(rmpp, 1, 9, MS);
	expect_no_frame(rmpp, MS);
}

static void test_repeated(void **state)
{
	struct rmpp *rmpp = *state;
	struct mad other;

	segment(rmpp, 1, FIRST, 0, 0);
	expect_ack(rmpp, 1, 9, 0);
	segment(rmpp, 2, 0, 0, 0);
	segment(rmpp, 4, 0, 0, 0);
	/* Whatever is in them now. */
	mad_segment(&other, 2, 0, 0);
	memset(other.mad + SA_HEADER, 0xee, SA_DATA);
	assert_int_equal(input(rmpp, &other, true, 0), RMPP_TAKEN);
	expect_no_frame(rmpp, 0); /* an ACK was written in this tick */
	assert_int_equal(input(rmpp, &other, true, 2 * MS), RMPP_TAKEN);
	assert_int_equal(input(rmpp, &other, true, 2 * MS), RMPP_TAKEN);
	expect_ack(rmpp, 2, 10, 2 * MS);
	mad_segment(&other, 4, 0, 0);
	memset(other.mad + SA_HEADER, 0xee, SA_DATA);
	assert_int_equal(input(rmpp, &other, true, 2 * MS), RMPP_TAKEN);
	assert_int_equal(segment(rmpp, 1, FIRST, 7 * PAYLOAD, 2 * MS), RMPP_TAKEN);
	expect_no_frame(rmpp, 2 * MS);
	segment(rmpp, 3, 0, 0, 2 * MS);
	segment(rmpp, 5, LAST, 120, 2 * MS);
	expect_ack(rmpp, 5, 13, 2 * MS);
	expect_message(rmpp, 4 * SA_DATA + 100);
	assert_int_equal(rmpp_stats(rmpp)->repeated_in, 5);
	/* The sender does not know yet. */
	assert_int_equal(segment(rmpp, 5, LAST, 120, 4 * MS), RMPP_TAKEN);
	expect_ack(rmpp, 5, 13, 4 * MS);
	assert_int_equal(segment(rmpp, 1, FIRST, 0, 6 * MS), RMPP_TAKEN);
	expect_ack(rmpp, 5, 13, 6 * MS);
	expect_no_outcome(rmpp);
}

/*
 * Missing segments are reported once, when more than their order is wrong; and again when one of
 * them has come and another is missing.
 */
static void test_gap(void **state)
{
	struct rmpp *rmpp = *state;

	segment(rmpp, 1, FIRST, 0, 0);
	expect_ack(rmpp, 1, 9, 0);
	segment(rmpp, 3, 0, 0, 0);
	segment(rmpp, 4, 0, 0, 0);
	expect_no_frame(rmpp, 0);
	segment(rmpp, 6, 0, 0, 0);
	expect_ack(rmpp, 1, 9, 0);
	segment(rmpp, 7, 0, 0, 0);
	expect_no_frame(rmpp, 0);
	segment(rmpp, 2, 0, 0, 0);
	expect_ack(rmpp, 4, 12, 0); /* what is new, and then what is missing */
	expect_ack(rmpp, 4, 12, 0);
	segment(rmpp, 8, 0, 0, 0);
	expect_no_frame(rmpp, 0);
	segment(rmpp, 5, 0, 0, 0);
	expect_ack(rmpp, 8, 16, 0);
}

/* Each fault ends a message that has begun, with an ABORT; none begins one. */
static void test_faults(void **state)
{
	static const struct {
		struct said said;
		uint8_t status;
		bool begins; /* it is one of a first segment, too */
	} cases[] = {
		{ { 1, DATA, 0, 1, 3, 0 }, BAD_STATUS, true },
		{ { 1, DATA, FIRST, 200, 1, 0 }, BAD_STATUS, true },
		{ { 1, DATA, FIRST, 0, 3, 0 }, BAD_FIRST, true },
		{ { 1, DATA, 0, 0, 1, 0 }, BAD_FIRST, true },
		{ { 1, DATA, 0, 0, 0, 0 }, BAD_FIRST, true },
		{ { 1, DATA, LAST, 0, 0, 60 }, BAD_FIRST, true },
		{ { 1, DATA, 0, 0, 10, 0 }, SEGMENT_TOO_BIG, false },
		{ { 1, DATA, 0, 0, 0x80000000, 0 }, SEGMENT_TOO_BIG, false },
		{ { 1, DATA, LAST, 0, UINT32_MAX, 60 }, SEGMENT_TOO_BIG, false },
		{ { 1, DATA, LAST, 0, 3, 0 }, BAD_LENGTH, false },
		{ { 1, DATA, LAST, 0, 3, 1 }, BAD_LENGTH, false },
		{ { 1, DATA, LAST, 0, 3, 19 }, BAD_LENGTH, false },
		{ { 2, DATA, 0, 0, 3, 0 }, BAD_VERSION, true },
		{ { 0, DATA, FIRST, 0, 1, 0 }, BAD_VERSION, true },
		{ { 1, 0, 0, 0, 3, 0 }, BAD_TYPE, true },
		{ { 1, 7, 0, 0, 3, 0 }, BAD_TYPE, true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rmpp *rmpp = open_default();
		const struct ib_user_mad *umad;
		struct mad mad;

		mad_segment(&mad, 1, 0, 0);
		mad_say(&mad, &cases[i].said);
		assert_int_equal(input(rmpp, &mad, true, 0),
				 cases[i].begins ? RMPP_REFUSED : RMPP_STRAY);
		if (cases[i].begins)
			expect_frame(rmpp, 0, ABORT, 0, cases[i].status, 0, 0);
		expect_no_frame(rmpp, 0);
		expect_no_outcome(rmpp);
		assert_int_equal(segment(rmpp, 1, FIRST, 0, 0), RMPP_STARTED);
		expect_ack(rmpp, 1, 9, 0);
		assert_int_equal(input(rmpp, &mad, true, 0), RMPP_TAKEN);
		umad = expect_frame(rmpp, 0, ABORT, 0, cases[i].status, 0, 0);
		assert_int_equal(mad_method(umad), GET_TABLE);
		expect_outcome(rmpp, false, -EPROTO, cases[i].status);
		expect_no_frame(rmpp, 0);
		assert_int_equal(memory.held, 0);
		assert_int_equal(segment(rmpp, 2, 0, 0, 0), RMPP_STRAY);
		fixture_close(rmpp);
	}
}

/* Receives segments @from to @to, and takes the ACKs. The last one has @payload bytes. */
static void receive_rest(struct rmpp *rmpp, uint32_t from, uint32_t to, uint32_t payload)
{
	const struct ib_user_mad *umad;

	for (uint32_t i = from; i < to; i++) {
		assert_int_equal(segment(rmpp, i, 0, 0, 0), RMPP_TAKEN);
		while (next_frame(rmpp, 0, &umad))
			assert_int_equal(mad_said(umad).type, ACK);
		expect_no_outcome(rmpp);
	}
	assert_int_equal(segment(rmpp, to, LAST, payload, 0), RMPP_TAKEN);
	assert_true(next_frame(rmpp, 0, &umad));
	assert_int_equal(mad_said(umad).type, ACK);
	assert_int_equal(mad_said(umad).segment, to);
	expect_no_frame(rmpp, 0);
}

/* A length in the first segment that contradicts the other segments is ignored, as by Linux. */
static void test_told_length(void **state)
{
	static const struct {
		uint32_t told, count, payload;
	} cases[] = {
		{ 4 * PAYLOAD, 3, 220 },	{ 4 * PAYLOAD, 4, 219 },
		{ 4 * PAYLOAD, 40, 220 },	{ 3 * PAYLOAD + 30, 4, 31 },
		{ 3 * PAYLOAD + 30, 4, 29 },	{ 3 * PAYLOAD + 30, 5, 30 },
		{ 3 * PAYLOAD + 30, 3, 30 },	{ 2 * PAYLOAD, 20, 20 },
		{ 20 * PAYLOAD, 2, 25 },	{ 20 + 4 * SA_DATA, 4, 220 },
		{ 56 + 30 * SA_DATA, 30, 220 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rmpp *rmpp = open_default();

		assert_int_equal(segment(rmpp, 1, FIRST, cases[i].told, 0), RMPP_STARTED);
		receive_rest(rmpp, 2, cases[i].count, cases[i].payload);
		expect_message(rmpp, (cases[i].count - 1) * SA_DATA + cases[i].payload - 20);
		fixture_close(rmpp);
	}
}

/* The end of a message may have come when another segment contradicts the length. */
static void test_told_length_out_of_order(void **state)
{
	struct rmpp *rmpp = *state;

	assert_int_equal(segment(rmpp, 1, FIRST, 2 * PAYLOAD, 0), RMPP_STARTED);
	expect_ack(rmpp, 1, 9, 0);
	assert_int_equal(segment(rmpp, 4, LAST, 60, 0), RMPP_TAKEN);
	expect_ack(rmpp, 1, 9, 0);
	for (uint32_t i = 2; i < 4; i++)
		assert_int_equal(segment(rmpp, i, 0, 0, 0), RMPP_TAKEN);
	expect_ack(rmpp, 4, 12, 0);
	expect_message(rmpp, 3 * SA_DATA + 40);
}

/* A first segment with an impossible length says nothing of the message. */
static void test_impossible_length(void **state)
{
	/* The last segment needs 20 bytes for the class header. */
	static const uint32_t told[] = { 1, 20, 220, 221, 239 };

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct rmpp *rmpp = open_default();

		assert_int_equal(segment(rmpp, 1, FIRST, told[i], 0), RMPP_STARTED);
		receive_rest(rmpp, 2, 5, 100);
		expect_message(rmpp, 4 * SA_DATA + 80);
		fixture_close(rmpp);
	}
}

/* Memory that the ring does not have is refused at once. */
static void test_announced_length_over_memory_is_refused(void **state)
{
	static const uint32_t told[] = { 0x80000000, UINT32_MAX };

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct rmpp *rmpp = open_default();

		assert_int_equal(segment(rmpp, 1, FIRST, told[i], 0), RMPP_STARTED);
		expect_frame(rmpp, 0, STOP, 0, NO_RESOURCES, 0, 0);
		expect_outcome(rmpp, false, -EMSGSIZE, NO_RESOURCES);
		assert_int_equal(memory.takes, 0);
		fixture_close(rmpp);
	}
}

/* A payload of the last segment that is too long is that of a full one, as in Linux. */
static void test_last_payload(void **state)
{
	static const uint32_t few[] = { 0, 1, 19 }, many[] = { 221, 0x80000000, UINT32_MAX };

	for (size_t i = 0; i < 3; i++) {
		struct rmpp *rmpp = open_default();

		assert_int_equal(segment(rmpp, 1, FIRST | LAST, few[i], 0), RMPP_STARTED);
		expect_frame(rmpp, 0, ABORT, 0, BAD_LENGTH, 0, 0);
		expect_outcome(rmpp, false, -EPROTO, BAD_LENGTH);
		assert_int_equal(memory.held, 0);
		assert_int_equal(segment(rmpp, 1, FIRST | LAST, many[i], 0), RMPP_STARTED);
		expect_ack(rmpp, 1, 9, 0);
		expect_message(rmpp, SA_DATA);
		fixture_close(rmpp);
		rmpp = open_default();
		assert_int_equal(segment(rmpp, 1, FIRST, 2 * PAYLOAD, 0), RMPP_STARTED);
		receive_rest(rmpp, 2, 2, many[i]);
		expect_message(rmpp, 2 * SA_DATA);
		fixture_close(rmpp);
	}
}

static void test_contradicted_last_segment_is_refused(void **state)
{
	struct rmpp *rmpp = *state;

	/* The segment follows the last one. */
	segment(rmpp, 1, FIRST, 0, 0);
	segment(rmpp, 4, LAST, 60, 0);
	expect_ack(rmpp, 1, 9, 0);
	assert_int_equal(segment(rmpp, 5, 0, 0, 0), RMPP_TAKEN);
	expect_frame(rmpp, 0, ABORT, 0, SEGMENT_TOO_BIG, 0, 0);
	expect_outcome(rmpp, false, -EPROTO, SEGMENT_TOO_BIG);
	/* The last segment precedes one that has come. */
	segment(rmpp, 1, FIRST, 0, 0);
	segment(rmpp, 4, 0, 0, 0);
	expect_ack(rmpp, 1, 9, 0);
	assert_int_equal(segment(rmpp, 3, LAST, 60, 0), RMPP_TAKEN);
	expect_frame(rmpp, 0, ABORT, 0, BAD_LENGTH, 0, 0);
	expect_outcome(rmpp, false, -EPROTO, BAD_LENGTH);
}

/* Memory is taken for the segments received, whatever length the first one tells. */
static void test_memory_grows(void **state)
{
	struct rmpp_config config = fixture_config();
	struct rmpp *rmpp;

	config.message_limit = 16 << 20;
	rmpp = fixture_open(&config);
	assert_int_equal(segment(rmpp, 1, FIRST, 1000 * PAYLOAD, 0), RMPP_STARTED);
	assert_int_equal(memory.largest, 8192);
	for (uint32_t i = 2; i < 1000; i++) {
		const struct ib_user_mad *umad;

		segment(rmpp, i, 0, 0, 0);
		assert_true(memory.largest <= 8192 || memory.largest <= 4 * (56 + i * SA_DATA));
		while (next_frame(rmpp, 0, &umad))
			;
	}
	segment(rmpp, 1000, LAST, PAYLOAD, 0);
	expect_ack(rmpp, 1000, 1008, 0);
	expect_message(rmpp, 1000 * SA_DATA);
	assert_int_equal(memory.largest, SA_HEADER + 1000 * SA_DATA);
	assert_true(memory.takes < 8);
	assert_int_equal(rmpp_stats(rmpp)->memory_peak, memory.largest);
	fixture_close(rmpp);
}

static void test_limit(void **state)
{
	struct rmpp_config config = fixture_config();
	struct rmpp *rmpp;

	config.message_limit = SA_HEADER + 3 * SA_DATA;
	rmpp = fixture_open(&config);
	/* The length is exactly the limit. */
	assert_int_equal(segment(rmpp, 1, FIRST, 3 * PAYLOAD, 0), RMPP_STARTED);
	segment(rmpp, 2, 0, 0, 0);
	segment(rmpp, 3, LAST, PAYLOAD, 0);
	expect_ack(rmpp, 3, 11, 0);
	expect_message(rmpp, 3 * SA_DATA);
	rmpp_forget_lane(rmpp, LANE);
	/* The length told is a byte more. */
	assert_int_equal(segment(rmpp, 1, FIRST, 3 * PAYLOAD + 21, 0), RMPP_STARTED);
	expect_frame(rmpp, 0, STOP, 0, NO_RESOURCES, 0, 0);
	expect_outcome(rmpp, false, -EMSGSIZE, NO_RESOURCES);
	/* The length is a byte more, and not told. */
	assert_int_equal(segment(rmpp, 1, FIRST, 0, 0), RMPP_STARTED);
	segment(rmpp, 2, 0, 0, 0);
	segment(rmpp, 3, 0, 0, 0);
	expect_ack(rmpp, 3, 11, 0);
	expect_no_outcome(rmpp);
	segment(rmpp, 4, LAST, 21, 0);
	expect_frame(rmpp, 0, STOP, 0, NO_RESOURCES, 0, 0);
	expect_outcome(rmpp, false, -EMSGSIZE, NO_RESOURCES);
	assert_int_equal(memory.held, 0);
	fixture_close(rmpp);
}

static void test_memory_refused(void **state)
{
	struct rmpp *rmpp = *state;

	memory.refuse_at = 1;
	assert_int_equal(segment(rmpp, 1, FIRST, 0, 0), RMPP_STARTED);
	expect_frame(rmpp, 0, STOP, 0, NO_RESOURCES, 0, 0);
	expect_outcome(rmpp, false, -ENOMEM, NO_RESOURCES);
	memory.refuse_at = 3;
	assert_int_equal(segment(rmpp, 1, FIRST, 0, 0), RMPP_STARTED);
	expect_ack(rmpp, 1, 9, 0);
	for (uint32_t i = 2; i <= 40; i++) {
		const struct ib_user_mad *umad;

		segment(rmpp, i, 0, 0, 0);
		while (i < 40 && next_frame(rmpp, 0, &umad))
			;
	}
	segment(rmpp, 41, 0, 0, 0); /* 8192 bytes are full */
	expect_frame(rmpp, 0, STOP, 0, NO_RESOURCES, 0, 0);
	expect_outcome(rmpp, false, -ENOMEM, NO_RESOURCES);
	assert_int_equal(memory.held, 0);
}

/* A response begins with the window that the sender of the request has told. */
static void test_window_of_the_response(void **state)
{
	struct rmpp *rmpp = open_default();
	struct ib_user_mad *response = message_make(SA_CLASS, GET_TABLE_RESP, SA_HEADER + 900);
	struct mad mad;

	mad_segment(&mad, 1, FIRST | LAST, 60);
	mad.mad[3] = GET_TABLE;
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_STARTED);
	expect_frame(rmpp, 0, ACK, 0, 0, 1, 9);
	expect_outcome(rmpp, false, 0, 0);
	mad_ack(&mad, GET_TABLE_RESP, 0, 3); /* turns it round */
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_TAKEN);
	message_send(rmpp, response, SA_HEADER + 900, 0, 0);
	expect_frame(rmpp, 0, DATA, FIRST, 0, 1, 5 * PAYLOAD - 100);
	expect_frame(rmpp, 0, DATA, 0, 0, 2, 0);
	expect_frame(rmpp, 0, DATA, 0, 0, 3, 0);
	expect_no_frame(rmpp, 0);
	mad_ack(&mad, GET_TABLE_RESP, 0, 4); /* or comes when it is on its way already */
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_TAKEN);
	expect_frame(rmpp, 0, DATA, 0, 0, 4, 0);
	expect_no_frame(rmpp, 0);
	fixture_close(rmpp);
	free(response);
}

/* A segment that is cut at any byte starts no message, and nothing is read behind its end. */
static void test_truncated(void **state)
{
	for (size_t bytes = 0; bytes < sizeof(struct mad); bytes++) {
		struct rmpp *rmpp = open_default();
		struct rmpp_arrival arrival = {
			.lane = LANE, .bytes = bytes, .accept = true, .user = 77
		};
		uint8_t *cut = malloc(bytes ? bytes : 1);
		struct mad mad;

		assert_non_null(cut);
		mad_segment(&mad, 1, FIRST | LAST, 120);
		memcpy(cut, &mad, bytes);
		arrival.umad = (const void *)cut;
		assert_int_equal(rmpp_input(rmpp, &arrival, 0, NULL),
				 bytes < 64 + 36 ? RMPP_PLAIN : RMPP_MALFORMED);
		expect_no_frame(rmpp, 0);
		expect_no_outcome(rmpp);
		fixture_close(rmpp);
		free(cut);
	}
}

static void test_plain(void **state)
{
	struct rmpp *rmpp = *state;
	struct mad mad;

	mad_segment(&mad, 1, FIRST, 0);
	mad.mad[26] &= 0xfe; /* not active */
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_PLAIN);
	mad.mad[26] |= 1;
	mad.mad[1] = 0x04;
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_PLAIN);
	mad.mad[1] = 0x09;
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_PLAIN);
	mad.mad[1] = SA_CLASS;
	mad.mad[0] = 0x80;
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_PLAIN);
	expect_no_frame(rmpp, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_segment),
	cmocka_unit_test(test_in_order),
	RECEIVER_TEST(test_acks_become_one),
	RECEIVER_TEST(test_out_of_order),
	RECEIVER_TEST(test_begins_with_the_first),
	RECEIVER_TEST(test_not_accepted),
	RECEIVER_TEST(test_unwanted),
	RECEIVER_TEST(test_repeated),
	RECEIVER_TEST(test_gap),
	cmocka_unit_test(test_faults),
	cmocka_unit_test(test_told_length),
	RECEIVER_TEST(test_told_length_out_of_order),
	cmocka_unit_test(test_impossible_length),
	cmocka_unit_test(test_announced_length_over_memory_is_refused),
	cmocka_unit_test(test_last_payload),
	RECEIVER_TEST(test_contradicted_last_segment_is_refused),
	cmocka_unit_test(test_memory_grows),
	cmocka_unit_test(test_limit),
	RECEIVER_TEST(test_memory_refused),
	cmocka_unit_test(test_window_of_the_response),
	cmocka_unit_test(test_truncated),
	RECEIVER_TEST(test_plain),
};

TEST_MAIN(tests, NULL, NULL)
