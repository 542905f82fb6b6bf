/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "collection.h"
#include "common/memory.h"
#include "twins.h"

/* Lists a node once for each run of its ports that have one GUID, and so a switch once. */
static size_t list_ports(const struct collection *collection, const struct port_counters **ports)
{
	size_t count = 0;

	for (size_t i = 0; i < collection->node_count; i++) {
		const struct node_counters *node = &collection->nodes[i];

		for (size_t p = 0; node->wanted && p < node->port_count; p++)
			if (!p || node->ports[p].port->guid != node->ports[p - 1].port->guid)
				ports[count++] = &node->ports[p];
	}
	return count;
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_ports(const void *a, const void *b)
{
	const struct port_counters *left = *(const struct port_counters *const *)a;
	const struct port_counters *right = *(const struct port_counters *const *)b;
	int order = compare_u64(left->port->guid, right->port->guid);

	if (!order)
		order = compare_u64(left->node->node->guid, right->node->node->guid);
	return order ? order : left->number - right->number;
}

static void mark_ports(struct node_counters *node, uint64_t guid)
{
	for (size_t p = 0; p < node->port_count; p++)
		if (node->ports[p].port->guid == guid)
			node->ports[p].twin = true;
}

static void add_twin(struct twins *twins, const struct port_counters *port,
		     const struct madring_node *keeper)
{
	const struct madring_node *node = port->node->node;

	/* The room doubles each time the count reaches a power of two. */
	if (!(twins->count & (twins->count - 1)))
		twins->list = memory_grow(twins->list, twins->count ? 2 * twins->count : 1,
					  sizeof(*twins->list));
	twins->list[twins->count++] = (struct twin){
		.guid = port->port->guid,
		.node_guid = node->guid,
		.keeper_guid = keeper->guid,
		.port = node->type == MADRING_NODE_SWITCH ? 0 : port->number,
	};
	mark_ports(port->node, port->port->guid);
}

void twins_find(struct collection *collection)
{
	const struct port_counters **ports =
		memory_get(collection->port_count + 1, sizeof(struct port_counters *));
	size_t count = list_ports(collection, ports);
	const struct node_counters *keeper = NULL;

	qsort(ports, count, sizeof(struct port_counters *), compare_ports);
	for (size_t i = 0; i < count; i++) {
		if (!i || ports[i]->port->guid != ports[i - 1]->port->guid)
			keeper = ports[i]->node;
		else if (ports[i]->node != keeper && ports[i]->node != ports[i - 1]->node)
			add_twin(&collection->twins, ports[i], keeper->node);
	}
	free(ports);
}

static int compare_twins(const void *a, const void *b)
{
	const struct twin *left = a, *right = b;
	int order = compare_u64(left->guid, right->guid);

	return order ? order : compare_u64(left->node_guid, right->node_guid);
}

bool twins_have(const struct twins *twins, const struct twin *twin)
{
	return twins->count &&
	       bsearch(twin, twins->list, twins->count, sizeof(*twin), compare_twins);
}

void twins_free(struct twins *twins)
{
	free(twins->list);
	*twins = (struct twins){ 0 };
}
