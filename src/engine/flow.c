/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/flow.h"

#include <errno.h>
#include <stdlib.h>

#include "base/table.h"

/*
 * A fabric chooses its LIDs and routes, and so the keys. With an odd multiplier that it does not
 * know, any two keys share a bucket with a probability of two in the number of buckets at most.
 */
static uint32_t bucket_of(const struct flow_table *table, uint16_t agent, uint64_t key)
{
	return (uint32_t)(((key ^ (uint64_t)agent << 48) * table->multiplier) >>
			  (64 - table->bucket_bits));
}

/*
 * splitmix64, whose bits all depend on all of the seed's, made odd. Its start is not that of the
 * engine's random numbers, which show in the TIDs.
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
		.idle_head = FLOW_NONE,
		.idle_tail = FLOW_NONE,
	};
	table->flow = table_alloc(flows, sizeof(*table->flow));
	table->bucket = table_alloc((size_t)1 << table->bucket_bits, sizeof(*table->bucket));
	if (!table->flow || !table->bucket) {
		flow_table_close(table);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < flows; i++)
		table->flow[i].hash_next = i + 1 < flows ? i + 1 : FLOW_NONE;
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

static void idle_remove(struct flow_table *table, struct flow *flow)
{
	if (flow->prev != FLOW_NONE)
		table->flow[flow->prev].next = flow->next;
	else
		table->idle_head = flow->next;
	if (flow->next != FLOW_NONE)
		table->flow[flow->next].prev = flow->prev;
	else
		table->idle_tail = flow->prev;
	flow->idle = false;
}

void flow_table_idle(struct flow_table *table, uint32_t index)
{
	struct flow *flow = &table->flow[index];

	flow->next = FLOW_NONE;
	flow->prev = table->idle_tail;
	if (flow->prev != FLOW_NONE)
		table->flow[flow->prev].next = index;
	else
		table->idle_head = index;
	table->idle_tail = index;
	flow->idle = true;
}

static void hash_remove(struct flow_table *table, uint32_t index)
{
	struct flow *flow = &table->flow[index];
	uint32_t *at = &table->bucket[bucket_of(table, flow->agent, flow->key)];

	while (*at != index)
		at = &table->flow[*at].hash_next;
	*at = flow->hash_next;
}

/* A flow for a new key: one never used, or else the one that was idle for longest. */
static uint32_t take_any(struct flow_table *table)
{
	uint32_t index = table->unused;

	if (index != FLOW_NONE) {
		table->unused = table->flow[index].hash_next;
		return index;
	}
	index = table->idle_head;
	if (index == FLOW_NONE)
		return FLOW_NONE;
	idle_remove(table, &table->flow[index]);
	hash_remove(table, index);
	return index;
}

uint32_t flow_table_take(struct flow_table *table, uint16_t agent, uint64_t key,
			 const struct window *window)
{
	uint32_t bucket = bucket_of(table, agent, key);
	uint32_t index = table->bucket[bucket];

	while (index != FLOW_NONE) {
		struct flow *flow = &table->flow[index];

		if (flow->key == key && flow->agent == agent) {
			if (flow->idle)
				idle_remove(table, flow);
			return index;
		}
		index = flow->hash_next;
	}
	index = take_any(table);
	if (index == FLOW_NONE)
		return FLOW_NONE;
	table->flow[index] = (struct flow){
		.key = key,
		.hash_next = table->bucket[bucket],
		.next = FLOW_NONE,
		.prev = FLOW_NONE,
		.wait_head = FLOW_NONE,
		.wait_tail = FLOW_NONE,
		.agent = agent,
		.window = *window,
	};
	table->bucket[bucket] = index;
	return index;
}
