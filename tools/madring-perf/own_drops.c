/* SPDX-License-Identifier: BSD-2-Clause */
#include "counter.h"
#include "own_drops.h"

static struct node_counters *find_counters(struct collection *collection,
					   const struct madring_node *node)
{
	for (size_t i = 0; i < collection->node_count; i++)
		if (collection->nodes[i].node == node)
			return &collection->nodes[i];
	return NULL;
}

/* Returns VL15Dropped of a switch, over all ports as the collection read them. */
static uint64_t count_now(const struct node_counters *node)
{
	struct counter_value value;
	uint64_t sum = 0;

	if (node->all && counter_get(node->all, COUNTER_VL15_DROPPED, &value) && !value.saturated)
		return value.value;
	for (size_t i = 0; i < node->port_count; i++)
		if (counter_get(&node->ports[i], COUNTER_VL15_DROPPED, &value))
			sum += value.value;
	return sum;
}

/* Returns how many SMPs a switch dropped, if all of these were in the time of the discovery. */
static uint64_t excused_drops(const struct switch_drops *from, const struct node_counters *node,
			      uint64_t most)
{
	uint64_t now = count_now(node);

	if (from->step != DROPS_READ || from->saturated || from->before > most)
		return 0;
	if (from->after <= from->before || now < from->after || now - from->after > most)
		return 0;
	return from->after - from->before;
}

void own_drops_mark(struct collection *collection, const struct drops *drops,
		    const struct thresholds *thresholds)
{
	for (size_t i = 0; i < drops->count; i++) {
		const struct switch_drops *from = drops->switches[i];
		struct node_counters *node = find_counters(collection, from->node);

		if (node)
			node->own_drops =
				excused_drops(from, node, thresholds->most[COUNTER_VL15_DROPPED]);
	}
}
