/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes a buffer for a message and gives one back, chosen at random; one message is out for each
 * 64 entries. Lengths are spread over the powers of two from 256 bytes to 64 KiB.
 */
#include <stdlib.h>

#include "case.h"
#include "pool/pool.h"

#define ROUND	       64u
#define ENTRIES_EACH   64u
#define POWERS	       8u
#define SHORTEST       256u
#define BYTES_EACH     24576u /* twice the mean */
#define BYTES_AT_LEAST (1u << 20)

struct bench_message_state {
	struct pool *pool;
	uint64_t random;
	uint32_t count;
	struct madring_mad *taken[];
};

static uint32_t next_random(struct bench_message_state *state, uint32_t limit)
{
	state->random = state->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state->random >> 33) % limit);
}

static struct madring_mad *take(struct bench_message_state *state)
{
	uint32_t power = SHORTEST << next_random(state, POWERS);

	return pool_take_message(state->pool, power + next_random(state, power));
}

static const char *close_message(void *argument)
{
	struct bench_message_state *state = argument;
	const char *error = NULL;

	for (uint32_t i = 0; i < state->count; i++)
		if (!state->taken[i])
			error = "there was no room for a message";
	pool_close(state->pool);
	free(state);
	return error;
}

static void *open_message(uint32_t entries)
{
	uint32_t count = entries / ENTRIES_EACH;
	struct pool_config config = {
		.message_bytes = (uint64_t)count * BYTES_EACH + BYTES_AT_LEAST,
		.pin = MADRING_PIN_BEST_EFFORT,
	};
	struct bench_message_state *state = calloc(1, sizeof(*state) + count * sizeof(void *));

	if (!state)
		return NULL;
	if (pool_open(&state->pool, &config)) {
		free(state);
		return NULL;
	}
	state->random = 1;
	state->count = count;
	for (uint32_t i = 0; i < count; i++)
		state->taken[i] = take(state);
	return state;
}

static uint64_t round_message(void *argument)
{
	struct bench_message_state *state = argument;

	for (uint32_t i = 0; i < ROUND; i++) {
		struct madring_mad **any = &state->taken[next_random(state, state->count)];

		if (*any)
			pool_give(state->pool, *any);
		*any = take(state);
	}
	return ROUND;
}

const struct bench_case bench_message = { "message", open_message, round_message, close_message };
