/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removing a timer and setting it anew, as for every MAD, while time goes on; the timers of
 * all entries are spread over the next 250 ticks.
 */
#include <stdlib.h>

#include "case.h"
#include "base/wheel.h"

#define ROUND 64u
#define SPAN  250u

struct bench_wheel_state {
	struct wheel wheel;
	uint32_t entries;
	uint32_t next;
	uint32_t since_tick;
	uint64_t now;
	uint64_t late;
};

static void *open_wheel(uint32_t entries)
{
	struct bench_wheel_state *state = calloc(1, sizeof(*state));

	if (!state)
		return NULL;
	if (wheel_open(&state->wheel, entries, 0)) {
		free(state);
		return NULL;
	}
	state->entries = entries;
	for (uint32_t i = 0; i < entries; i++)
		wheel_set(&state->wheel, i, SPAN + 1 + (uint64_t)i * SPAN / entries);
	return state;
}

/* Advances a tick after so many sets that each timer is set again before it expires. */
static void move_on(struct bench_wheel_state *state)
{
	if (++state->since_tick < state->entries / SPAN + 1)
		return;
	state->since_tick = 0;
	state->now++;
	while (wheel_pop(&state->wheel, state->now) != WHEEL_NONE)
		state->late++;
}

static uint64_t round_wheel(void *argument)
{
	struct bench_wheel_state *state = argument;

	for (uint32_t i = 0; i < ROUND; i++) {
		if (wheel_holds(&state->wheel, state->next))
			wheel_remove(&state->wheel, state->next);
		wheel_set(&state->wheel, state->next, state->now + 2 * SPAN);
		if (++state->next == state->entries)
			state->next = 0;
		move_on(state);
	}
	return ROUND;
}

static const char *close_wheel(void *argument)
{
	struct bench_wheel_state *state = argument;
	const char *error = state->late ? "timers came up that were set anew in time" : NULL;

	wheel_close(&state->wheel);
	free(state);
	return error;
}

const struct bench_case bench_wheel = { "wheel", open_wheel, round_wheel, close_wheel };
