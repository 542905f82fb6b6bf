/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/chance.h"
#include "fabric/counter.h"

#define NS_PER_SECOND UINT64_C(1000000000)

/* An event is due when a rate of 2^-24 a second has gone on for so many ns. */
#define EVENT (NS_PER_SECOND << RATE_BITS)

__extension__ typedef unsigned __int128 uint128;

struct progress {
	uint128 periods;
	uint64_t fraction;
	bool counted;
	uint128 events; /* since it was brought up to date */
};

static bool has_come(uint64_t key, uint32_t event, uint64_t fraction)
{
	uint64_t part = mix(key + event);

	return key && (uint64_t)((uint128)part * EVENT >> 64) < fraction;
}

/* Nothing but the time since the last change goes in, so reads change nothing. */
static struct progress progress_of(const struct counter *counter, uint64_t key, uint64_t now)
{
	uint128 rate = (uint128)counter->rate[RATE_OWN] + counter->rate[RATE_FLOWS];
	uint128 parts = rate * (now - counter->since) + counter->fraction;
	struct progress progress = {
		.periods = parts / EVENT,
		.fraction = (uint64_t)(parts % EVENT),
	};

	progress.counted =
		has_come(key, counter->event + (uint32_t)progress.periods, progress.fraction);
	progress.events = progress.periods + progress.counted - counter->counted;
	return progress;
}

static uint64_t add(uint64_t count, uint128 events, enum counter_view view)
{
	if (view == COUNTER_STICKS && events > UINT64_MAX - count)
		return UINT64_MAX;
	return count + (uint64_t)events;
}

static bool stands_still(const struct counter *counter)
{
	return !counter->rate[RATE_OWN] && !counter->rate[RATE_FLOWS];
}

uint64_t counter_value(const struct counter *counter, enum counter_view view, uint64_t key,
		       uint64_t now)
{
	if (stands_still(counter))
		return counter->count[view];
	return add(counter->count[view], progress_of(counter, key, now).events, view);
}

void counter_advance(struct counter *counter, uint64_t key, uint64_t now)
{
	struct progress progress = progress_of(counter, key, now);

	for (int view = 0; view < COUNTER_VIEWS; view++)
		counter->count[view] =
			add(counter->count[view], progress.events, (enum counter_view)view);
	counter->event += (uint32_t)progress.periods;
	counter->fraction = progress.fraction;
	counter->counted = progress.counted;
	counter->since = now;
}

void counter_add(struct counter *counter, uint64_t amount)
{
	for (int view = 0; view < COUNTER_VIEWS; view++)
		counter->count[view] = add(counter->count[view], amount, (enum counter_view)view);
}
