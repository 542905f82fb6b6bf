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

	while (node && node->info.node_guid != node_guid)
		node = node->next;
	return node;
}

const struct port *fabric_find_port(const struct madring_fabric *fabric, uint64_t port_guid)
{
	for (size_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = fabric->nodes[i];

		for (unsigned int p = 0; p <= node->info.port_count; p++)
			if (node->port[p].found && node->port[p].guid == port_guid)
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
	struct node **bucket = &fabric->bucket[bucket_of(fabric, node->info.node_guid)];

	node->next = *bucket;
	*bucket = node;
	node->fabric = fabric;
	node->place = fabric->node_count;
	fabric->nodes[fabric->node_count++] = node;
}

struct node *fabric_add(struct madring_fabric *fabric, const struct node_info *info,
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
	node->info = *info;
	node->route = *route;
	node->entry = info->local_port;
	for (size_t i = 0; i < ports; i++) {
		node->port[i].node = node;
		node->port[i].number = i;
		node->port[i].guid = info->port_guid;
	}
	fabric->port_count += ports;
	add_node(fabric, node);
	node_publish(node);
	for (size_t i = 0; i < ports; i++)
		port_publish(&node->port[i]);
	return node;
}

size_t fabric_count(const struct madring_fabric *fabric, enum node_type type)
{
	size_t count = 0;

	for (size_t i = 0; i < fabric->node_count; i++)
		count += fabric->nodes[i]->info.type == type;
	return count;
}

bool port_is_first_end(const struct port *port)
{
	const struct port *peer = port->peer;
	uint64_t guid = port->node->info.node_guid, peer_guid = peer->node->info.node_guid;

	if (guid != peer_guid)
		return guid < peer_guid;
	return port->number <= peer->number;
}

size_t fabric_cables(const struct madring_fabric *fabric)
{
	size_t count = 0;

	for (size_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = fabric->nodes[i];

		for (unsigned int p = 1; p <= node->info.port_count; p++)
			count += node->port[p].peer && port_is_first_end(&node->port[p]);
	}
	return count;
}

unsigned int fabric_hops(const struct madring_fabric *fabric)
{
	unsigned int most = 0;

	for (size_t i = 0; i < fabric->node_count; i++)
		if (fabric->nodes[i]->route.hops > most)
			most = fabric->nodes[i]->route.hops;
	return most;
}

bool port_leads_on(const struct madring_fabric *fabric, const struct port *port)
{
	if (port->number == 0)
		return false;
	if (port->node->info.type == NODE_SWITCH)
		return true;
	return port->node == fabric->root && port->number == fabric->root_port;
}

/* Returns the port whose PortInfo holds for all ports of a switch, or else the port itself. */
static const struct port *port_that_answers(const struct port *port)
{
	return port->node->info.type == NODE_SWITCH ? &port->node->port[0] : port;
}

uint16_t port_lid(const struct port *port)
{
	return port_that_answers(port)->info.lid;
}

static bool has_extended_speeds(const struct port *port)
{
	return port_that_answers(port)->info.capability_mask & PORT_EXTENDED_SPEEDS;
}

bool port_has_speeds2(const struct port *port)
{
	const struct port_info *info = &port_that_answers(port)->info;

	return has_extended_speeds(port) && info->capability_mask & PORT_CAPABILITY_MASK2 &&
	       info->capability_mask2 & PORT_EXTENDED_SPEEDS2;
}

uint8_t port_speed_ext(const struct port *port)
{
	if (port_has_speeds2(port) && port->info.speed_ext2)
		return port->info.speed_ext2;
	return has_extended_speeds(port) ? port->info.speed_ext : 0;
}

uint8_t port_speed_ext_supported(const struct port *port)
{
	uint8_t speeds = has_extended_speeds(port) ? port->info.speed_ext_supported : 0;

	return port_has_speeds2(port) ? speeds | port->info.speed_ext2_supported : speeds;
}

void node_publish(struct node *node)
{
	const struct node_info *info = &node->info;

	node->public = (struct madring_node){
		.guid = info->node_guid,
		.system_guid = info->system_guid,
		.port_guid = info->port_guid,
		.type = (enum madring_node_type)info->type,
		.vendor_id = info->vendor_id,
		.revision = info->revision,
		.device_id = info->device_id,
		.port_count = info->port_count,
		.entry = node->entry,
		.enhanced_port0 = node->enhanced_port0,
		.hops = node->route.hops,
		.description = node->description,
		.m_key = node->mkey,
	};
	memcpy(node->public.path, node->route.port, sizeof(node->public.path));
}

void port_publish(struct port *port)
{
	const struct port_info *info = &port->info;

	port->public = (struct madring_node_port){
		.node = &port->node->public,
		.peer = port->peer ? &port->peer->public : NULL,
		.guid = port->guid,
		.number = port->number,
		.found = port->found,
		.known = port->known,
		.lmc = info->lmc,
		.lid = port_lid(port),
		.state = info->state,
		.physical_state = info->physical_state,
		.width = info->width,
		.speed = info->speed,
		.speed_ext = port_speed_ext(port),
		.fdr10 = port->fdr10,
		.width_supported = info->width_supported,
		.speed_supported = info->speed_supported,
		.speed_ext_supported = port_speed_ext_supported(port),
		.fdr10_supported = port->fdr10_supported,
		.vl_cap = info->vl_cap,
		.capability_mask = info->capability_mask,
		.capability_mask2 = info->capability_mask2,
	};
}

void fabric_publish(struct madring_fabric *fabric)
{
	for (size_t i = 0; i < fabric->node_count; i++) {
		struct node *node = fabric->nodes[i];

		node->place = i;
		node_publish(node);
		for (unsigned int p = 0; p <= node->info.port_count; p++)
			port_publish(&node->port[p]);
	}
	for (size_t i = 0; i < fabric->problems.count; i++)
		problem_publish(fabric->problems.list[i]);
}
