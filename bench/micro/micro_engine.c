/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a MAD in the engine: sent, written, answered, completed. Answered in the order
 * of writing or in any order; addressed by LID or by a directed route.
 */
#include "case.h"
#include "micro_loop.h"

static void *open_ordered(uint32_t entries)
{
	return loop_open(entries, false, false);
}

static void *open_random(uint32_t entries)
{
	return loop_open(entries, false, true);
}

static void *open_directed(uint32_t entries)
{
	return loop_open(entries, true, false);
}

static uint64_t turn(void *state)
{
	return loop_turn(state);
}

static const char *close_loop(void *state)
{
	return loop_close(state);
}

const struct bench_case bench_engine = { "engine", open_ordered, turn, close_loop };
const struct bench_case bench_engine_random_order = { "engine_random_order", open_random, turn,
						      close_loop };
const struct bench_case bench_engine_directed = { "engine_directed", open_directed, turn,
						  close_loop };
