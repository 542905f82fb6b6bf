/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages on their way in, rule by rule. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static struct rmpp *open_default(void)
{
	struct rmpp_config config = fixture_config();

	return fixture_open(&config);
}

static enum rmpp_verdict segment(struct rmpp *rmpp, uint32_t number, uint8_t flags, uint32_t length,
				 uint64_t now)
{
	struct mad mad;

	mad_segment(&mad, number, flags, length);
	return input(rmpp, &mad, true, now);
}

static void expect_ack(struct rmpp *rmpp, uint32_t number, uint32_t window, uint64_t now)
{
	const struct ib_user_mad *umad = expect_frame(rmpp, now, ACK, 0, 0, number, window);

	assert_int_equal(mad_method(umad), GET_TABLE);
	assert_int_equal(umad->timeout_ms, 0);
	assert_int_equal(umad->data[40], 1); /* the class header is the first segment's */
	for (size_t i = SA_HEADER; i < 256; i++)
		assert_int_equal(umad->data[i], 0);
}

/* The message is whole: the first one's headers, and the data of all. */
static void expect_message(struct rmpp *rmpp, size_t data)
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

static void test_one_segment(void **state)
{
	static const uint32_t lengths[] = { 20, 21, 219, 220 };

	(void)state;
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

/* The first one is acknowledged, then every half of a window, and the last one. A sender that may
   write all there is needs none of a half. */
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
	(void)state;
	in_order(11 * PAYLOAD + 60);
	in_order(0);
}

/* ACKs that wait to be written become one, which tells what is so then. */
static void test_acks_become_one(void **state)
{
	struct rmpp *rmpp = open_default();

	(void)state;
	segment(rmpp, 1, FIRST, 0, 0);
	for (uint32_t i = 2; i <= 8; i++)
		segment(rmpp, i, 0, 0, 0);
	expect_ack(rmpp, 8, 16, 0);
	expect_no_frame(rmpp, 0);
	fixture_close(rmpp);
}

static void test_out_of_order(void **state)
{
	struct rmpp *rmpp = open_default();

	(void)state;
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
	fixture_close(rmpp);
}

/* Nothing comes of one that is not the first. */
static void test_begins_with_the_first(void **state)
{
	struct rmpp *rmpp = open_default();

	(void)state;
	assert_int_equal(segment(rmpp, 2, 0, 0, 0), RMPP_STRAY);
	assert_int_equal(segment(rmpp, 2, LAST, 60, 0), RMPP_STRAY);
	assert_int_equal(memory.takes, 0);
	expect_no_frame(rmpp, 0);
	assert_int_equal(rmpp_stats(rmpp)->stray, 2);
	fixture_close(rmpp);
}

static void test_not_accepted(void **state)
{
	struct rmpp *rmpp = open_default();
	struct mad mad;

	(void)state;
	mad_segment(&mad, 1, FIRST, 0);
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_STRAY);
	mad.mad[27] = 1;
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_STRAY);
	mad.mad[24] = 2;
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_STRAY);
	expect_no_frame(rmpp, 0);
	fixture_close(rmpp);
}

static void test_unwanted(void **state)
{
	struct rmpp *rmpp = open_default();
	struct rmpp_arrival arrival = { .lane = LANE,
					.bytes = sizeof(struct mad),
					.unwanted = true };
	struct mad mad;

	(void)state;
	arrival.umad = &mad.umad;
	mad_segment(&mad, 5, 0, 0);
	assert_int_equal(rmpp_input(rmpp, &arrival, 0, NULL), RMPP_REFUSED);
	expect_frame(rmpp, 0, ABORT, 0, UNSPECIFIED, 0, 0);
	/* It was wanted, and is known. */
	segment(rmpp, 1, FIRST | LAST, 120, 0);
	expect_ack(rmpp, 1, 9, 0);
	expect_message(rmpp, 100);
	mad_segment(&mad, 1, FIRST | LAST, 120);
	assert_int_equal(rmpp_input(rmpp, &arrival, MS, NULL), RMPP_TAKEN);
	expect_ack(rmpp, 1, 9, MS);
	expect_no_frame(rmpp, MS);
	fixture_close(rmpp);
}

static void test_repeated(void **state)
{
	struct rmpp *rmpp = open_default();
	struct mad other;

	(void)state;
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
	fixture_close(rmpp);
}

/* That segments are missing is told once, when it is not just their order; and again when
   one of them has come and another is missing. */
static void test_gap(void **state)
{
	struct rmpp *rmpp = open_default();

	(void)state;
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
	fixture_close(rmpp);
}

/* Each fault ends a message that has begun, and is told; none begins one. */
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
		{ { 1, DATA, LAST, 0, 3, 221 }, BAD_LENGTH, false },
		{ { 1, DATA, LAST, 0, 3, 0x80000000 }, BAD_LENGTH, false },
		{ { 1, DATA, LAST, 0, 3, UINT32_MAX }, BAD_LENGTH, false },
		{ { 2, DATA, 0, 0, 3, 0 }, BAD_VERSION, true },
		{ { 0, DATA, FIRST, 0, 1, 0 }, BAD_VERSION, true },
		{ { 1, 0, 0, 0, 3, 0 }, BAD_TYPE, true },
		{ { 1, 7, 0, 0, 3, 0 }, BAD_TYPE, true },
	};

	(void)state;
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

/* What the first segment tells must be what the others are. */
static void test_told_length(void **state)
{
	static const struct {
		uint32_t told;
		struct said said; /* what contradicts it, after segments 1 and 2 */
		uint8_t status;
	} cases[] = {
		{ 4 * PAYLOAD, { 1, DATA, LAST, 0, 3, 220 }, BAD_LENGTH },
		{ 4 * PAYLOAD, { 1, DATA, 0, 0, 4, 0 }, BAD_LENGTH },
		{ 4 * PAYLOAD, { 1, DATA, LAST, 0, 4, 219 }, BAD_LENGTH },
		{ 4 * PAYLOAD, { 1, DATA, 0, 0, 5, 0 }, SEGMENT_TOO_BIG },
		{ 3 * PAYLOAD + 30, { 1, DATA, LAST, 0, 4, 31 }, BAD_LENGTH },
		{ 3 * PAYLOAD + 30, { 1, DATA, LAST, 0, 4, 29 }, BAD_LENGTH },
		{ 3 * PAYLOAD + 30, { 1, DATA, LAST, 0, 5, 30 }, SEGMENT_TOO_BIG },
		{ 3 * PAYLOAD + 30, { 1, DATA, LAST, 0, 3, 30 }, BAD_LENGTH },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rmpp *rmpp = open_default();
		struct mad mad;

		assert_int_equal(segment(rmpp, 1, FIRST, cases[i].told, 0), RMPP_STARTED);
		assert_int_equal(segment(rmpp, 2, 0, 0, 0), RMPP_TAKEN);
		expect_ack(rmpp, 2, 10, 0);
		mad_segment(&mad, 1, 0, 0);
		mad_say(&mad, &cases[i].said);
		assert_int_equal(input(rmpp, &mad, true, 0), RMPP_TAKEN);
		expect_frame(rmpp, 0, ABORT, 0, cases[i].status, 0, 0);
		expect_outcome(rmpp, false, -EPROTO, cases[i].status);
		fixture_close(rmpp);
	}
}

/* First segments that tell what cannot be. */
static void test_impossible_length(void **state)
{
	static const struct {
		uint32_t flags, length, type, status;
	} cases[] = {
		{ FIRST, 1, ABORT, BAD_LENGTH },
		{ FIRST, 20, ABORT, BAD_LENGTH },
		{ FIRST, 220, ABORT, BAD_LENGTH }, /* it would be the last one */
		{ FIRST, 221, ABORT, BAD_LENGTH }, /* the last one would have 1, and needs 20 */
		{ FIRST, 239, ABORT, BAD_LENGTH },
		{ FIRST, 0x80000000, STOP, NO_RESOURCES },
		{ FIRST, UINT32_MAX, STOP, NO_RESOURCES },
		{ FIRST | LAST, 0, ABORT, BAD_LENGTH },
		{ FIRST | LAST, 1, ABORT, BAD_LENGTH },
		{ FIRST | LAST, 19, ABORT, BAD_LENGTH },
		{ FIRST | LAST, 221, ABORT, BAD_LENGTH },
		{ FIRST | LAST, 0x80000000, ABORT, BAD_LENGTH },
		{ FIRST | LAST, UINT32_MAX, ABORT, BAD_LENGTH },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rmpp *rmpp = open_default();

		assert_int_equal(segment(rmpp, 1, (uint8_t)cases[i].flags, cases[i].length, 0),
				 RMPP_STARTED);
		expect_frame(rmpp, 0, (uint8_t)cases[i].type, 0, (uint8_t)cases[i].status, 0, 0);
		expect_outcome(rmpp, false, cases[i].type == STOP ? -EMSGSIZE : -EPROTO,
			       (uint8_t)cases[i].status);
		assert_int_equal(memory.takes, 0);
		fixture_close(rmpp);
	}
}

static void test_last_one_contradicted(void **state)
{
	struct rmpp *rmpp = open_default();

	(void)state;
	/* Behind the last one. */
	segment(rmpp, 1, FIRST, 0, 0);
	segment(rmpp, 4, LAST, 60, 0);
	expect_ack(rmpp, 1, 9, 0);
	assert_int_equal(segment(rmpp, 5, 0, 0, 0), RMPP_TAKEN);
	expect_frame(rmpp, 0, ABORT, 0, SEGMENT_TOO_BIG, 0, 0);
	expect_outcome(rmpp, false, -EPROTO, SEGMENT_TOO_BIG);
	/* One before those that have come. */
	segment(rmpp, 1, FIRST, 0, 0);
	segment(rmpp, 4, 0, 0, 0);
	expect_ack(rmpp, 1, 9, 0);
	assert_int_equal(segment(rmpp, 3, LAST, 60, 0), RMPP_TAKEN);
	expect_frame(rmpp, 0, ABORT, 0, BAD_LENGTH, 0, 0);
	expect_outcome(rmpp, false, -EPROTO, BAD_LENGTH);
	fixture_close(rmpp);
}

/* Memory is taken for what has come, whatever is told. */
static void test_memory_grows(void **state)
{
	struct rmpp_config config = fixture_config();
	struct rmpp *rmpp;
	uint32_t i;

	(void)state;
	config.message_limit = 16 << 20;
	rmpp = fixture_open(&config);
	assert_int_equal(segment(rmpp, 1, FIRST, 1000 * PAYLOAD, 0), RMPP_STARTED);
	assert_int_equal(memory.largest, 8192);
	for (i = 2; i < 1000; i++) {
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

	(void)state;
	config.message_limit = SA_HEADER + 3 * SA_DATA;
	rmpp = fixture_open(&config);
	/* Just as long. */
	assert_int_equal(segment(rmpp, 1, FIRST, 3 * PAYLOAD, 0), RMPP_STARTED);
	segment(rmpp, 2, 0, 0, 0);
	segment(rmpp, 3, LAST, PAYLOAD, 0);
	expect_ack(rmpp, 3, 11, 0);
	expect_message(rmpp, 3 * SA_DATA);
	rmpp_forget_lane(rmpp, LANE);
	/* A byte longer, and it is told. */
	assert_int_equal(segment(rmpp, 1, FIRST, 3 * PAYLOAD + 21, 0), RMPP_STARTED);
	expect_frame(rmpp, 0, STOP, 0, NO_RESOURCES, 0, 0);
	expect_outcome(rmpp, false, -EMSGSIZE, NO_RESOURCES);
	/* And it is not. */
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
	struct rmpp *rmpp = open_default();
	uint32_t i;

	(void)state;
	memory.refuse_at = 1;
	assert_int_equal(segment(rmpp, 1, FIRST, 0, 0), RMPP_STARTED);
	expect_frame(rmpp, 0, STOP, 0, NO_RESOURCES, 0, 0);
	expect_outcome(rmpp, false, -ENOMEM, NO_RESOURCES);
	memory.refuse_at = 3;
	assert_int_equal(segment(rmpp, 1, FIRST, 0, 0), RMPP_STARTED);
	expect_ack(rmpp, 1, 9, 0);
	for (i = 2; i <= 40; i++) {
		const struct ib_user_mad *umad;

		segment(rmpp, i, 0, 0, 0);
		while (i < 40 && next_frame(rmpp, 0, &umad))
			;
	}
	segment(rmpp, 41, 0, 0, 0); /* 8192 bytes are full */
	expect_frame(rmpp, 0, STOP, 0, NO_RESOURCES, 0, 0);
	expect_outcome(rmpp, false, -ENOMEM, NO_RESOURCES);
	assert_int_equal(memory.held, 0);
	fixture_close(rmpp);
}

static void test_nothing_comes(void **state)
{
	struct rmpp *rmpp = open_default();
	const struct ib_user_mad *umad;

	(void)state;
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
	fixture_close(rmpp);
}

static void test_total_time(void **state)
{
	struct rmpp *rmpp = open_default();
	const struct ib_user_mad *umad;
	uint64_t now = 0;

	(void)state;
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
	fixture_close(rmpp);
}

static void test_lingering(void **state)
{
	struct rmpp *rmpp = open_default();

	(void)state;
	segment(rmpp, 1, FIRST | LAST, 120, 0);
	expect_ack(rmpp, 1, 9, 0);
	/* As long as the outcome is not taken, it stays. */
	rmpp_advance(rmpp, 3000 * MS);
	assert_int_equal(segment(rmpp, 1, FIRST | LAST, 120, 3000 * MS), RMPP_TAKEN);
	expect_ack(rmpp, 1, 9, 3000 * MS);
	expect_message(rmpp, 100);
	rmpp_advance(rmpp, 3999 * MS);
	assert_int_equal(segment(rmpp, 1, FIRST | LAST, 120, 3999 * MS), RMPP_TAKEN);
	expect_ack(rmpp, 1, 9, 3999 * MS);
	rmpp_advance(rmpp, 6000 * MS);
	assert_int_equal(rmpp_next_deadline(rmpp), RMPP_NEVER);
	/* It is another one by now. */
	assert_int_equal(segment(rmpp, 1, FIRST | LAST, 120, 6000 * MS), RMPP_STARTED);
	expect_ack(rmpp, 1, 9, 6000 * MS);
	expect_message(rmpp, 100);
	fixture_close(rmpp);
}

static enum rmpp_verdict segment_of(struct rmpp *rmpp, uint8_t tid, uint32_t number, uint8_t flags)
{
	struct mad mad;

	mad_segment(&mad, number, flags, flags & LAST ? 60 : 0);
	mad.mad[15] = tid;
	return input(rmpp, &mad, true, 0);
}

/* Of a message in one segment; whoever takes none has nothing to do with it. */
static void test_turn_before_its_message(void **state)
{
	static const struct said turn = { 1, ACK, 0, 0, 0, 8 };
	static const struct said other = { 1, ACK, 0, 0, 1, 8 };
	struct rmpp *rmpp = open_default();
	struct mad mad;

	(void)state;
	mad_prepare(&mad, SA_CLASS, GET_TABLE);
	mad_say(&mad, &turn);
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_TAKEN);
	assert_int_equal(rmpp_stats(rmpp)->stray, 0);
	assert_int_equal(input(rmpp, &mad, false, 0), RMPP_STRAY);
	mad_say(&mad, &other);
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_STRAY);
	assert_int_equal(rmpp_stats(rmpp)->stray, 2);
	expect_no_frame(rmpp, 0);
	fixture_close(rmpp);
}

/* Those that linger make room, the oldest first; those that are on their way do not. */
static void test_no_room_for_another(void **state)
{
	struct rmpp *rmpp = open_default();
	struct rmpp_frame frame;

	(void)state;
	for (uint8_t tid = 1; tid <= 4; tid++)
		assert_int_equal(segment_of(rmpp, tid, 1, tid <= 2 ? FIRST | LAST : FIRST),
				 RMPP_STARTED);
	for (int i = 0; i < 4; i++) {
		assert_true(rmpp_next_frame(rmpp, 0, &frame));
		rmpp_frame_done(rmpp, frame.slot, 0, 0);
	}
	/* Nobody has taken their messages yet. */
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
	fixture_close(rmpp);
}

/* Segments from elsewhere are another message's. */
static void test_whose_segment(void **state)
{
	struct rmpp *rmpp = open_default();
	struct rmpp_arrival arrival = { .lane = LANE, .bytes = sizeof(struct mad), .accept = true };
	struct mad mad;

	(void)state;
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
	fixture_close(rmpp);
}

/* Behind a router the GID tells, and the LID is the router's. */
static void test_behind_a_router(void **state)
{
	struct rmpp *rmpp = open_default();
	struct mad mad;

	(void)state;
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
	fixture_close(rmpp);
}

/* The high half of a response's TID is our own kernel's; of a request's, the other end's. */
static void test_high_half_of_the_tid(void **state)
{
	struct rmpp *rmpp = open_default();
	struct mad mad;

	(void)state;
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
	fixture_close(rmpp);
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

	(void)state;
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

/* A message that is whole is not taken back. */
static void test_ended_too_late(void **state)
{
	struct rmpp *rmpp = open_default();
	const struct said said = { 1, ABORT, 0, TOO_LONG, 0, 0 };
	struct mad mad;

	(void)state;
	segment(rmpp, 1, FIRST | LAST, 120, 0);
	mad_prepare(&mad, SA_CLASS, GET_TABLE_RESP);
	mad_say(&mad, &said);
	assert_int_equal(input(rmpp, &mad, true, 0), RMPP_DISMISSED);
	expect_ack(rmpp, 1, 9, 0);
	expect_message(rmpp, 100);
	fixture_close(rmpp);
}

static uint64_t start(struct rmpp *rmpp, uint32_t number, uint8_t flags, uint32_t length)
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

static void test_cancel(void **state)
{
	struct rmpp *rmpp = open_default();
	uint64_t id = start(rmpp, 1, FIRST, 0);

	(void)state;
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
	fixture_close(rmpp);
}

/* What waits to be taken is the caller's, whatever becomes of the lane. */
static void test_lane_is_forgotten(void **state)
{
	struct rmpp *rmpp = open_default();

	(void)state;
	segment(rmpp, 1, FIRST | LAST, 120, 0);
	rmpp_forget_lane(rmpp, LANE);
	expect_no_frame(rmpp, 0);
	expect_message(rmpp, 100);
	expect_no_outcome(rmpp);
	/* Nor is anything told there any more. */
	segment(rmpp, 1, FIRST, 221, 0);
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
	fixture_close(rmpp);
}

static void test_ack_not_written(void **state)
{
	struct rmpp *rmpp = open_default();
	struct rmpp_frame frame;

	(void)state;
	segment(rmpp, 1, FIRST, 0, 0);
	assert_true(rmpp_next_frame(rmpp, 0, &frame));
	rmpp_frame_done(rmpp, frame.slot, -EAGAIN, 0);
	expect_no_frame(rmpp, 0);
	assert_int_equal(rmpp_next_deadline(rmpp), MS);
	rmpp_advance(rmpp, MS);
	expect_ack(rmpp, 1, 9, MS);
	segment(rmpp, 2, LAST, 60, MS);
	assert_true(rmpp_next_frame(rmpp, 0, &frame));
	rmpp_frame_done(rmpp, frame.slot, -EINVAL, MS); /* it has come all the same */
	expect_message(rmpp, SA_DATA + 40);
	fixture_close(rmpp);
}

/* A response begins with the window that the request's sender has told. */
static void test_window_of_the_response(void **state)
{
	struct rmpp *rmpp = open_default();
	struct ib_user_mad *response = message_make(SA_CLASS, GET_TABLE_RESP, SA_HEADER + 900);
	struct mad mad;

	(void)state;
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

/* Cut short at every byte: nothing is read beyond, and nothing begins. */
static void test_truncated(void **state)
{
	(void)state;
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
	struct rmpp *rmpp = open_default();
	struct mad mad;

	(void)state;
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
	fixture_close(rmpp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_segment),
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_acks_become_one),
		cmocka_unit_test(test_out_of_order),
		cmocka_unit_test(test_begins_with_the_first),
		cmocka_unit_test(test_not_accepted),
		cmocka_unit_test(test_unwanted),
		cmocka_unit_test(test_repeated),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_told_length),
		cmocka_unit_test(test_impossible_length),
		cmocka_unit_test(test_last_one_contradicted),
		cmocka_unit_test(test_memory_grows),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_memory_refused),
		cmocka_unit_test(test_nothing_comes),
		cmocka_unit_test(test_total_time),
		cmocka_unit_test(test_lingering),
		cmocka_unit_test(test_turn_before_its_message),
		cmocka_unit_test(test_no_room_for_another),
		cmocka_unit_test(test_whose_segment),
		cmocka_unit_test(test_behind_a_router),
		cmocka_unit_test(test_high_half_of_the_tid),
		cmocka_unit_test(test_ended_by_the_sender),
		cmocka_unit_test(test_ended_too_late),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_lane_is_forgotten),
		cmocka_unit_test(test_ack_not_written),
		cmocka_unit_test(test_window_of_the_response),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
