/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/chance.h"
#include "fabric/port_counters.h"

#define ROOM_STEP 6

#define WORD_BITS 64

_Static_assert(sizeof(struct counters) == 32 && sizeof(struct counter) == 64,
	       "traffic.h says how much memory a port takes");

static bool is_present(const struct counters *counters, unsigned int which)
{
	return counters->present[which / WORD_BITS] >> which % WORD_BITS & 1;
}

/* The number of counters that are here before it. */
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
	struct counters *counters = port->counters;
	uint32_t room = counters ? counters->room + ROOM_STEP : ROOM_STEP;

	if (counters && counters->count < counters->room)
		return counters;
	counters = realloc(counters, sizeof(*counters) + room * sizeof(counters->counter[0]));
	if (!counters)
		return NULL;
	if (!port->counters)
		memset(counters, 0, sizeof(*counters));
	counters->room = room;
	port->counters = counters;
	return counters;
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

/* The key depends on the seed, the port and the counter alone. */
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

/* Only the report tells that an event was not counted, for want of memory. */
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
