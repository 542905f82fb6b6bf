/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding a transaction by a TID, in random order: replies whose generation is of no attempt,
 * which are looked up and refused, so that all entries stay in flight.
 */
#include "case.h"
#include "micro_loop.h"

/* Any bit of a generation, whatever the number of slots. */
#define GENERATION 0x80000000u

static void *open_lookup(uint32_t entries)
{
	return loop_open(entries, false, false);
}

static uint64_t round_lookup(void *state)
{
	struct loop *loop = state;
	uint64_t refused = 0;

	for (uint32_t i = 0; i < LOOP_BATCH; i++) {
		struct loop_wire wire = loop->wire[loop_random(loop, loop->entries)];

		wire.tid ^= htobe64(GENERATION);
		loop_build_reply(loop, loop->reply[i], &wire);
	}
	for (uint32_t i = 0; i < LOOP_BATCH; i++)
		refused +=
			engine_receive(loop->engine, 0, loop->reply[i], sizeof(**loop->reply) + 256,
				       loop->now) == ENGINE_UNMATCHED;
	return refused;
}

static const char *close_lookup(void *state)
{
	return loop_close(state);
}

const struct bench_case bench_lookup = { "lookup", open_lookup, round_lookup, close_lookup };
