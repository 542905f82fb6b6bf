/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/chance.h"
#include "fabric/port_counters.h"

#define NS_PER_SECOND UINT64_C(1000000000)

/*
 * The product of time and rate at which an event is due: a rate of 2^-24 a second has gone on for
 * so many ns.
 */
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

/*
 * progress_of returns how far a counter has come. It depends on the time since the last change
 * alone, so reads change nothing.
 */
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

#define ROOM_STEP 6

#define WORD_BITS 64

_Static_assert(sizeof(struct counters) == 32 && sizeof(struct counter) == 64,
	       "traffic.h says how much memory a port takes");

static bool is_present(const struct counters *counters, unsigned int which)
{
	return counters->present[which / WORD_BITS] >> which % WORD_BITS & 1;
}

/* rank_of returns how many counters are present before this one. */
static unsigned int rank_of(const struct counters *counters, unsigned int which)
{
	uint64_t below =
		counters->present[which / WORD_BITS] & ((UINT64_C(1) << which % WORD_BITS) - 1);
	unsigned int rank = (unsigned int)__builtin_popcountll(below);

	for (unsigned int word = 0; word < which / WORD_BITS; word++)
		rank += (unsigned int)__builtin_popcountll(counters->present[word]);
	return rank;
}

struct counter *counters_find(const struct port *port, enum fabric_counter which)
{
	struct counters *counters = port->counters;

	if (!counters || !is_present(counters, which))
		return NULL;
	return &counters->counter[rank_of(counters, which)];
}

static struct counters *with_room(struct port *port)
{
	struct counters *counters = port->counters, *more;
	uint32_t room = counters ? counters->room + ROOM_STEP : ROOM_STEP;

	if (counters && counters->count < counters->room)
		return counters;
	more = realloc(counters, sizeof(*more) + room * sizeof(more->counter[0]));
	if (!more)
		return NULL;
	if (!counters)
		memset(more, 0, sizeof(*more));
	more->room = room;
	port->counters = more;
	return more;
}

static struct counter *insert(struct port *port, enum fabric_counter which)
{
	struct counters *counters = with_room(port);
	struct counter *counter;
	unsigned int rank;

	if (!counters)
		return NULL;
	rank = rank_of(counters, which);
	counter = &counters->counter[rank];
	memmove(counter + 1, counter, (counters->count - rank) * sizeof(*counter));
	memset(counter, 0, sizeof(*counter));
	counters->present[which / WORD_BITS] |= UINT64_C(1) << which % WORD_BITS;
	counters->count++;
	return counter;
}

bool counter_is_even(enum fabric_counter which)
{
	return (which >= FABRIC_XMIT_DATA && which <= FABRIC_MULTICAST_RCV_PKTS) ||
	       (which >= FABRIC_VL_XMIT_WAIT && which < FABRIC_VL_XMIT_WAIT + FABRIC_VLS) ||
	       (which >= FABRIC_XMIT_DATA_SL && which < FABRIC_RCV_DATA_SL + FABRIC_VLS);
}

/*
 * key_of returns the key by which a counter's events are drawn. It depends on the seed, the port
 * and the counter alone.
 */
static uint64_t key_of(const struct fabric *fabric, const struct port *port,
		       enum fabric_counter which)
{
	if (counter_is_even(which))
		return 0;
	return mix(mix(mix(fabric->seed) + (uint64_t)(port - fabric->ports)) + which) | 1;
}

struct counter *counters_take(struct fabric *fabric, struct port *port, enum fabric_counter which)
{
	struct counter *counter = counters_find(port, which);

	if (!counter)
		counter = insert(port, which);
	if (counter)
		counter_advance(counter, key_of(fabric, port, which), fabric->now);
	return counter;
}

uint64_t counters_value(const struct fabric *fabric, const struct port *port,
			enum fabric_counter which, enum counter_view view)
{
	const struct counter *counter = counters_find(port, which);

	if (!counter)
		return 0;
	return counter_value(counter, view, key_of(fabric, port, which), fabric->now);
}

int counters_set(struct fabric *fabric, struct port *port, enum fabric_counter which,
		 enum counter_view view, uint64_t value)
{
	struct counter *counter;

	if (!value && !counters_find(port, which))
		return 0;
	counter = counters_take(fabric, port, which);
	if (!counter)
		return -ENOMEM;
	counter->count[view] = value;
	return 0;
}

int counters_add(struct fabric *fabric, struct port *port, enum fabric_counter which,
		 uint64_t amount)
{
	struct counter *counter;

	if (!amount)
		return 0;
	counter = counters_take(fabric, port, which);
	if (!counter)
		return -ENOMEM;
	counter_add(counter, amount);
	return 0;
}

int counters_set_rate(struct fabric *fabric, struct port *port, enum fabric_counter which,
		      enum counter_rate whose, uint64_t rate)
{
	struct counter *counter;

	if (!rate && !counters_find(port, which))
		return 0;
	counter = counters_take(fabric, port, which);
	if (!counter)
		return -ENOMEM;
	counter->rate[whose] = rate;
	return 0;
}

/*
 * count_one counts an event. Only the report tells that an event was not counted, for want of
 * memory.
 */
static void count_one(struct fabric *fabric, struct port *port, enum fabric_counter which)
{
	if (counters_add(fabric, port, which, 1))
		fabric_drop(fabric, FABRIC_DROP_NO_MEMORY);
}

void counters_link_downed(struct fabric *fabric, struct port *port)
{
	count_one(fabric, port, FABRIC_LINK_DOWNED);
}

void counters_vl15_dropped(struct fabric *fabric, struct port *port)
{
	count_one(fabric, port, FABRIC_VL15_DROPPED);
}

void counters_not_routed(struct fabric *fabric, struct port *port)
{
	count_one(fabric, port, FABRIC_RCV_SWITCH_RELAY_ERRORS);
	count_one(fabric, port, FABRIC_DLID_MAPPING_ERRORS);
}

void counters_discarded(struct fabric *fabric, struct port *port)
{
	count_one(fabric, port, FABRIC_XMIT_DISCARDS);
	count_one(fabric, port, FABRIC_INACTIVE_DISCARDS);
}

static void restart(struct fabric *fabric, struct port *port)
{
	for (unsigned int which = 0; port->counters && which < FABRIC_COUNTERS; which++) {
		counters_set(fabric, port, which, COUNTER_STICKS, 0);
		counters_set(fabric, port, which, COUNTER_WRAPS, 0);
	}
}

void counters_restart(struct fabric *fabric, struct node *node)
{
	for (unsigned int number = 0; number <= node->port_count; number++)
		restart(fabric, &node->port[number]);
}
