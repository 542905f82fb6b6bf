/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "collection.h"
#include "common/memory.h"

#define LAST_UNICAST_LID 0xbfffu

const uint32_t rtt_bucket_us[RTT_BUCKETS] = { 100,   250,   500,    1000,   2500,   5000,   10000,
					      25000, 50000, 100000, 250000, 500000, 1000000 };

/*
 * Returns whether a port has counters. Port 0 of a switch has them if it is an enhanced one, which
 * is like a host's port.
 */
static bool is_counted(const struct madring_node_port *port)
{
	return port->found && (port->number || port->node->enhanced_port0);
}

static size_t count_ports(const struct madring_node *node)
{
	size_t count = 0;

	for (unsigned int p = 0; p <= node->port_count; p++)
		count += is_counted(madring_node_port_by_number(node, p));
	return count;
}

static void add_ports(struct node_counters *counters)
{
	const struct madring_node *node = counters->node;

	counters->ports = memory_get(count_ports(node) + 1, sizeof(struct port_counters));
	for (unsigned int p = 0; p <= node->port_count; p++)
		if (is_counted(madring_node_port_by_number(node, p)))
			counters->ports[counters->port_count++] =
				(struct port_counters){ .node = counters,
							.port = madring_node_port_by_number(node,
											    p),
							.number = p };
}

struct collection *collection_new(const struct madring_fabric *fabric)
{
	struct collection *collection = memory_get(1, sizeof(*collection));

	collection->fabric = fabric;
	collection->node_count = fabric ? madring_fabric_node_count(fabric) : 0;
	collection->nodes = memory_get(collection->node_count + 1, sizeof(struct node_counters));
	for (size_t i = 0; i < collection->node_count; i++) {
		collection->nodes[i].node = madring_fabric_node(fabric, i);
		add_ports(&collection->nodes[i]);
		collection->port_count += collection->nodes[i].port_count;
	}
	return collection;
}

static void free_readings(struct port_counters *port)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		free(port->reading[a]);
}

static void free_node(struct node_counters *node)
{
	for (size_t i = 0; i < node->port_count; i++)
		free_readings(&node->ports[i]);
	if (node->all)
		free_readings(node->all);
	free(node->all);
	free(node->ports);
}

void collection_free(struct collection *collection)
{
	if (!collection)
		return;
	for (size_t i = 0; i < collection->node_count; i++)
		free_node(&collection->nodes[i]);
	free(collection->nodes);
	twins_free(&collection->twins);
	free(collection);
}

bool collection_complete(const struct collection *collection)
{
	const struct collection_stats *stats = &collection->stats;

	return !collection->error && !collection->interrupted && !collection->partial_fabric &&
	       !collection->deadline_reached && !collection->unreachable_count && !stats->refused &&
	       !stats->malformed && !stats->timed_out && !stats->failed && !stats->clear_failed &&
	       !collection->twins.count;
}

const uint8_t *port_data(const struct port_counters *port, enum pma_attribute attribute)
{
	const struct reading *reading = port->reading[attribute];

	return reading && reading->state == READING_DONE ? reading->data : NULL;
}

uint16_t port_counters_lid(const struct port_counters *port)
{
	const struct node_counters *node = port->node;
	uint16_t lid = 0;

	if (port->port)
		lid = port->port->lid;
	else if (node->port_count)
		lid = node->ports[node->asking].port->lid;
	return lid <= LAST_UNICAST_LID ? lid : 0;
}
