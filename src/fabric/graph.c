/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct madring_fabric *fabric_new(void)
{
	struct madring_fabric *fabric = calloc(1, sizeof(*fabric));

	if (fabric)
		hash_key_draw(&fabric->key);
	return fabric;
}

void fabric_free(struct madring_fabric *fabric)
{
	if (!fabric)
		return;
	for (size_t i = 0; i < fabric->node_count; i++)
		free(fabric->nodes[i]);
	free(fabric->nodes);
	problems_free(&fabric->problems);
	free(fabric);
}

static size_t bucket_of(const struct madring_fabric *fabric, uint64_t guid)
{
	return keyed_hash_u64(&fabric->key, guid) % FABRIC_BUCKETS;
}

struct node *fabric_find(const struct madring_fabric *fabric, uint64_t node_guid)
{
	struct node *node = fabric->bucket[bucket_of(fabric, node_guid)];

	while (node && node->public.guid != node_guid)
		node = node->next;
	return node;
}

const struct port *fabric_find_port(const struct madring_fabric *fabric, uint64_t port_guid)
{
	for (size_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = fabric->nodes[i];

		for (unsigned int p = 0; p <= node->public.port_count; p++)
			if (node->port[p].public.found && node->port[p].public.guid == port_guid)
				return &node->port[p];
	}
	return NULL;
}

/* Makes room in the list for one more node. Returns false when memory is exhausted. */
static bool has_room(struct madring_fabric *fabric)
{
	size_t room = fabric->node_room ? fabric->node_room * 2 : 1024;
	struct node **nodes;

	if (fabric->node_count < fabric->node_room)
		return true;
	nodes = reallocarray(fabric->nodes, room, sizeof(*nodes));
	if (!nodes)
		return false;
	fabric->nodes = nodes;
	fabric->node_room = room;
	return true;
}

static void add_node(struct madring_fabric *fabric, struct node *node)
{
	struct node **bucket = &fabric->bucket[bucket_of(fabric, node->public.guid)];

	node->next = *bucket;
	*bucket = node;
	node->fabric = fabric;
	node->place = fabric->node_count;
	fabric->nodes[fabric->node_count++] = node;
}

struct node *fabric_add(struct madring_fabric *fabric, const struct madring_node_info *info,
			const struct route *route)
{
	size_t ports = info->port_count + 1u;
	struct node *node;

	if (fabric->node_count >= FABRIC_MAX_NODES || fabric->port_count + ports > FABRIC_MAX_PORTS)
		return NULL;
	node = calloc(1, sizeof(*node) + ports * sizeof(node->port[0]));
	if (!node || !has_room(fabric)) {
		free(node);
		fabric->is_short = true;
		return NULL;
	}
	node->public = (struct madring_node){
		.guid = info->node_guid,
		.system_guid = info->system_guid,
		.port_guid = info->port_guid,
		.type = (enum madring_node_type)info->type,
		.vendor_id = info->vendor_id,
		.revision = info->revision,
		.device_id = info->device_id,
		.port_count = info->port_count,
		.entry = info->local_port,
		.description = node->description,
	};
	node_set_route(node, route);
	for (size_t i = 0; i < ports; i++) {
		node->port[i].node = node;
		node->port[i].public.node = &node->public;
		node->port[i].public.number = i;
		node->port[i].public.guid = info->port_guid;
	}
	fabric->port_count += ports;
	add_node(fabric, node);
	return node;
}

size_t fabric_count(const struct madring_fabric *fabric, enum madring_node_type type)
{
	size_t count = 0;

	for (size_t i = 0; i < fabric->node_count; i++)
		count += fabric->nodes[i]->public.type == type;
	return count;
}

bool port_is_first_end(const struct port *port)
{
	const struct port *peer = port->peer;
	uint64_t guid = port->node->public.guid, peer_guid = peer->node->public.guid;

	if (guid != peer_guid)
		return guid < peer_guid;
	return port->public.number <= peer->public.number;
}

size_t fabric_cables(const struct madring_fabric *fabric)
{
	size_t count = 0;

	for (size_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = fabric->nodes[i];

		for (unsigned int p = 1; p <= node->public.port_count; p++)
			count += node->port[p].peer && port_is_first_end(&node->port[p]);
	}
	return count;
}

unsigned int fabric_hops(const struct madring_fabric *fabric)
{
	unsigned int most = 0;

	for (size_t i = 0; i < fabric->node_count; i++)
		if (fabric->nodes[i]->public.hops > most)
			most = fabric->nodes[i]->public.hops;
	return most;
}

bool port_leads_on(const struct madring_fabric *fabric, const struct port *port)
{
	if (port->public.number == 0)
		return false;
	if (port->node->public.type == MADRING_NODE_SWITCH)
		return true;
	return port->node == fabric->root && port->public.number == fabric->root_port;
}

void fabric_settle(struct madring_fabric *fabric)
{
	for (size_t i = 0; i < fabric->node_count; i++) {
		struct node *node = fabric->nodes[i];

		node->place = i;
		for (unsigned int p = 0; p <= node->public.port_count; p++)
			port_combine(&node->port[p]);
	}
	for (size_t i = 0; i < fabric->problems.count; i++)
		problem_set_route(fabric->problems.list[i]);
}
