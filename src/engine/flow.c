/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "base/table.h"

/*
 * The low bits of a key that its bucket keeps in order. Neighbours, such as successive LIDs or the
 * ports of a switch, are often asked in turn. Their buckets lie side by side.
 */
#define NEIGHBOUR_BITS 4

/*
 * Returns the bucket of a flow. The fabric chooses its LIDs and routes, and so the keys. But it
 * does not know the odd multiplier: any two keys share a bucket with a probability of at most 32
 * in the number of buckets.
 */
static uint32_t bucket_of(const struct flow_table *table, uint16_t agent, uint64_t key)
{
	uint64_t group = (key ^ (uint64_t)agent << 48) >> NEIGHBOUR_BITS;
	uint32_t first = (uint32_t)((group * table->multiplier) >> (64 - table->bucket_bits));
	uint32_t neighbour = key & ((1u << NEIGHBOUR_BITS) - 1);

	return (first + neighbour) & ((1u << table->bucket_bits) - 1);
}

/*
 * Returns an odd multiplier of which all bits depend on all bits of the seed (splitmix64). It
 * does not start from the seed itself, as the engine's random numbers do, because the TIDs show
 * those.
 */
static uint64_t multiplier_of(uint64_t seed)
{
	seed = ~seed;
	seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
	seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
	return (seed ^ (seed >> 31)) | 1;
}

int flow_table_open(struct flow_table *table, uint32_t flows, uint64_t seed)
{
	*table = (struct flow_table){
		.bucket_bits = table_bits(flows),
		.multiplier = multiplier_of(seed),
		.count = flows,
		.idle = LIST_EMPTY,
	};
	table->flow = table_alloc(flows, sizeof(*table->flow));
	table->bucket = table_alloc((size_t)1 << table->bucket_bits, sizeof(*table->bucket));
	if (!table->flow || !table->bucket) {
		flow_table_close(table);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < 1u << table->bucket_bits; i++)
		table->bucket[i] = FLOW_NONE;
	return 0;
}

void flow_table_close(struct flow_table *table)
{
	free(table->flow);
	free(table->bucket);
	table->flow = NULL;
	table->bucket = NULL;
}

static void unlist_idle_flow(struct flow_table *table, uint32_t index)
{
	list_remove(&table->idle, LINKS(table->flow, link), index);
	table->flow[index].idle = false;
}

void flow_table_idle(struct flow_table *table, uint32_t index)
{
	list_append(&table->idle, LINKS(table->flow, link), index);
	table->flow[index].idle = true;
}

static void remove_from_bucket(struct flow_table *table, uint32_t index)
{
	struct flow *flow = &table->flow[index];
	uint32_t *at = &table->bucket[bucket_of(table, flow->agent, flow->key)];

	while (*at != index)
		at = &table->flow[*at].bucket_next;
	*at = flow->bucket_next;
}

/* Returns a flow for a new key: one that was never used, or else the longest idle one. */
static uint32_t take_unused_flow(struct flow_table *table)
{
	uint32_t index = table->idle.first;

	if (table->used < table->count)
		return table->used++;
	if (index == FLOW_NONE)
		return FLOW_NONE;
	unlist_idle_flow(table, index);
	remove_from_bucket(table, index);
	return index;
}

uint32_t flow_table_take(struct flow_table *table, uint16_t agent, uint64_t key,
			 const struct pace_agent *pace)
{
	uint32_t bucket = bucket_of(table, agent, key);
	uint32_t index = table->bucket[bucket];

	while (index != FLOW_NONE) {
		struct flow *flow = &table->flow[index];

		if (flow->key == key && flow->agent == agent) {
			if (flow->idle)
				unlist_idle_flow(table, index);
			return index;
		}
		index = flow->bucket_next;
	}
	index = take_unused_flow(table);
	if (index == FLOW_NONE)
		return FLOW_NONE;
	table->flow[index] = (struct flow){
		.key = key,
		.bucket_next = table->bucket[bucket],
		.waiting = LIST_EMPTY,
		.agent = agent,
		.pace = pace_flow_open(pace),
	};
	table->bucket[bucket] = index;
	return index;
}
