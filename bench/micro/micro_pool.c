/* SPDX-License-Identifier: BSD-2-Clause */
/* Taking a plain buffer and giving one back, the oldest of all that are taken. */
#include <stdlib.h>

#include "case.h"
#include "pool/pool.h"

#define ROUND 64u

struct bench_pool_state {
	struct pool *pool;
	uint32_t entries;
	uint32_t oldest;
	struct madring_mad *taken[];
};

static void *open_pool(uint32_t entries)
{
	struct pool_config config = { .plain = entries, .pin = MADRING_PIN_BEST_EFFORT };
	struct bench_pool_state *state;

	state = calloc(1, sizeof(*state) + entries * sizeof(void *));
	if (!state)
		return NULL;
	if (pool_open(&state->pool, &config)) {
		free(state);
		return NULL;
	}
	state->entries = entries;
	for (uint32_t i = 0; i < entries; i++)
		state->taken[i] = pool_take_plain(state->pool);
	return state;
}

static uint64_t round_pool(void *argument)
{
	struct bench_pool_state *state = argument;

	for (uint32_t i = 0; i < ROUND; i++) {
		struct madring_mad **oldest = &state->taken[state->oldest];

		pool_give(state->pool, *oldest);
		*oldest = pool_take_plain(state->pool);
		if (++state->oldest == state->entries)
			state->oldest = 0;
	}
	return ROUND;
}

static const char *close_pool(void *argument)
{
	struct bench_pool_state *state = argument;

	pool_close(state->pool);
	free(state);
	return NULL;
}

const struct bench_case bench_pool = { "pool", open_pool, round_pool, close_pool };
