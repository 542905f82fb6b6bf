/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * MADs that nobody sends who knows RMPP: random ones, and good ones with a few bytes changed, in
 * the middle of transfers. The test finds what a sanitizer sees, messages that are longer than the
 * segments received, and bounds that do not hold.
 */
#include <stdlib.h>
#include <string.h>

#include "rmpp_fixture.h"
#include "model/common/prng.h"

#define ROUNDS 300
#define MADS   3000
#define LENGTH (SA_HEADER + 20 * SA_DATA)

/* The offsets of the bytes that take part in RMPP, and of those that find the transfer. */
static const uint8_t telling[] = { 0, 1, 2, 3, 15, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35 };

static void mutate(struct mad *mad, struct prng *prng)
{
	static const uint8_t values[] = { 0, 1, 2, 3, 4, 0x7f, 0x80, 0xff };
	unsigned int changes = (unsigned int)prng_below(prng, 4);

	while (changes--) {
		size_t at = telling[prng_below(prng, sizeof(telling))];

		mad->mad[at] = prng_chance(prng, 500000) ? values[prng_below(prng, sizeof(values))]
							 : (uint8_t)prng_next(prng);
	}
}

static void set32(uint8_t *to, uint32_t value)
{
	uint32_t wire = htobe32(value);

	memcpy(to, &wire, sizeof(wire));
}

/* A message on its way in, which the test does not mean to spoil. */
struct stream {
	uint32_t next, last;
	uint8_t generation; /* in its TID */
};

struct fuzz {
	struct prng prng;
	struct rmpp *rmpp;
	struct ib_user_mad *message[3];
	struct stream stream[3];
	uint64_t started, ended, messages;
	uint64_t now;
};

static void make_segment(struct fuzz *fuzz, struct mad *mad, unsigned int which)
{
	struct stream *stream = &fuzz->stream[which];
	uint8_t flags = 0;

	if (stream->next > stream->last) {
		stream->last = (uint32_t)prng_range(&fuzz->prng, 1, 100);
		stream->next = 1;
		stream->generation++;
	}
	if (stream->next == 1)
		flags |= FIRST;
	if (stream->next == stream->last)
		flags |= LAST;
	mad_segment(mad, stream->next++, flags, flags & LAST ? 120 : 0);
	mad->mad[14] = stream->generation;
}

static void make(struct fuzz *fuzz, struct mad *mad)
{
	struct prng *prng = &fuzz->prng;
	unsigned int which = (unsigned int)prng_below(prng, 3);

	if (prng_chance(prng, 800000)) {
		make_segment(fuzz, mad, which);
	} else {
		mad_ack(mad, prng_chance(prng, 500000) ? GET_TABLE : GET_TABLE_RESP,
			(uint32_t)prng_below(prng, 25), (uint32_t)prng_below(prng, 90));
		mad->mad[14] = TID >> 8 & 0xff;
	}
	mad->mad[15] = (uint8_t)which;
	if (prng_chance(prng, 2000))
		mad->mad[25] = (uint8_t)prng_range(prng, STOP, ABORT);
	if (prng_chance(prng, 2000))
		set32(mad->mad + 28, (uint32_t)prng_log_range(prng, 1, UINT32_MAX));
	if (prng_chance(prng, 2000))
		set32(mad->mad + 32, (uint32_t)prng_log_range(prng, 1, UINT32_MAX));
	if (prng_chance(prng, 20000))
		mutate(mad, prng);
	if (prng_chance(prng, 1000))
		prng_fill(prng, mad, sizeof(*mad));
}

static void put_in(struct fuzz *fuzz)
{
	struct rmpp_arrival arrival = { .lane = LANE, .user = 77 };
	struct mad mad;
	uint8_t *cut;

	make(fuzz, &mad);
	arrival.bytes = sizeof(mad);
	if (prng_chance(&fuzz->prng, 2000))
		arrival.bytes = prng_below(&fuzz->prng, sizeof(mad) + 1);
	cut = malloc(arrival.bytes + 1);
	assert_non_null(cut);
	memcpy(cut, &mad, arrival.bytes);
	arrival.umad = (const void *)cut;
	arrival.accept = prng_chance(&fuzz->prng, 980000);
	if (rmpp_input(fuzz->rmpp, &arrival, fuzz->now, NULL) == RMPP_STARTED)
		fuzz->started++;
	free(cut);
}

static void check_frame(const struct rmpp_frame *frame)
{
	assert_int_equal(frame->bytes, sizeof(struct mad));
	assert_int_equal(frame->umad->data[24], 1);
	assert_true(frame->umad->data[26] & 1);
	assert_in_range(frame->umad->data[25], DATA, ABORT);
}

static void take_out(struct fuzz *fuzz)
{
	struct rmpp_outcome outcome;
	struct rmpp_frame frame;

	while (rmpp_next_frame(fuzz->rmpp, fuzz->now, &frame)) {
		check_frame(&frame);
		rmpp_frame_done(fuzz->rmpp, frame.slot, 0, fuzz->now);
	}
	while (rmpp_next_outcome(fuzz->rmpp, &outcome)) {
		fuzz->ended += !outcome.sent;
		if (!outcome.message)
			continue;
		fuzz->messages++;
		/* Whatever it is, it has come: each of its segments was read. */
		assert_in_range(outcome.length, 40, 1 << 20);
		free(outcome.message);
		memory.held--;
	}
}

static void play(uint64_t seed, uint64_t *messages)
{
	struct rmpp_config config = fixture_config();
	struct fuzz fuzz = { 0 };

	config.receives = 8;
	prng_seed(&fuzz.prng, seed);
	fuzz.rmpp = fixture_open(&config);
	for (uint8_t i = 0; i < 3; i++)
		fuzz.message[i] =
			message_make(SA_CLASS, i == 2 ? GET_TABLE_RESP : GET_TABLE, LENGTH);
	for (uint32_t i = 0; i < MADS; i++) {
		struct rmpp_message message = { .length = LENGTH, .lane = LANE, .user = 77 };
		unsigned int which = (unsigned int)prng_below(&fuzz.prng, 3);
		uint64_t id;

		fuzz.message[which]->data[15] = (uint8_t)which;
		message.umad = fuzz.message[which];
		message.reply_ms = which == 1 ? 100 : 0;
		if (prng_chance(&fuzz.prng, 50000) &&
		    !rmpp_send(fuzz.rmpp, &message, fuzz.now, &id) &&
		    prng_chance(&fuzz.prng, 200000))
			rmpp_cancel(fuzz.rmpp, id);
		put_in(&fuzz);
		take_out(&fuzz);
		fuzz.now += prng_below(&fuzz.prng, 3 * MS);
		if (prng_chance(&fuzz.prng, 500))
			fuzz.now += 10000 * MS;
		rmpp_advance(fuzz.rmpp, fuzz.now);
	}
	rmpp_advance(fuzz.rmpp, fuzz.now + 1000000 * MS);
	take_out(&fuzz);
	assert_int_equal(fuzz.started, fuzz.ended);
	assert_int_equal(memory.held, 0);
	*messages += fuzz.messages;
	fixture_close(fuzz.rmpp);
	for (uint8_t i = 0; i < 3; i++)
		free(fuzz.message[i]);
}

static void test_fuzz(void **state)
{
	uint64_t messages = 0;

	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
		play(seed, &messages);
	/* The MADs must reach the end of the code, too. */
	assert_in_range(messages, 10 * ROUNDS, MADS * ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_fuzz) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
