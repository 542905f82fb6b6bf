/* SPDX-License-Identifier: BSD-2-Clause */
/* The public view of a fabric: its nodes, ports and links, and how they are found. */
#include <errno.h>
#include <string.h>

#include "directed_route.h"
#include "graph.h"
#include "sized/sized.h"

/* The public parts are the first members. */
static const struct node *node_of(const struct madring_node *node)
{
	return (const struct node *)node;
}

static const struct port *port_of(const struct madring_node_port *port)
{
	return (const struct port *)port;
}

static const struct madring_node *shown(const struct node *node)
{
	return node ? &node->public : NULL;
}

void madring_fabric_free(struct madring_fabric *fabric)
{
	fabric_free(fabric);
}

void madring_fabric_get_counts_sized(const struct madring_fabric *fabric,
				     struct madring_fabric_counts *counts, size_t counts_size)
{
	struct madring_fabric_counts own = {
		.nodes = fabric->node_count,
		.switches = fabric_count(fabric, MADRING_NODE_SWITCH),
		.cas = fabric_count(fabric, MADRING_NODE_CA),
		.routers = fabric_count(fabric, MADRING_NODE_ROUTER),
		.links = fabric_cables(fabric),
		.hops = fabric_hops(fabric),
	};

	for (size_t i = 0; i < fabric->node_count; i++)
		for (unsigned int p = 0; p <= fabric->nodes[i]->public.port_count; p++)
			own.ports += fabric->nodes[i]->port[p].public.found;
	sized_give(counts, counts_size, &own, sizeof(own));
}

size_t madring_fabric_node_count(const struct madring_fabric *fabric)
{
	return fabric->node_count;
}

const struct madring_node *madring_fabric_node(const struct madring_fabric *fabric, size_t place)
{
	return place < fabric->node_count ? &fabric->nodes[place]->public : NULL;
}

int madring_node_get_switch_info_sized(const struct madring_node *node,
				       struct madring_switch_info *info, size_t info_size)
{
	const struct node *own = node_of(node);

	if (!own->has_switch_info)
		return -ENODATA;
	sized_give(info, info_size, &own->switch_info, sizeof(own->switch_info));
	return 0;
}

size_t madring_node_place(const struct madring_node *node)
{
	return node_of(node)->place;
}

const struct madring_node *madring_fabric_node_by_guid(const struct madring_fabric *fabric,
						       uint64_t guid)
{
	return shown(fabric_find(fabric, guid));
}

const struct madring_node *madring_fabric_node_by_name(const struct madring_fabric *fabric,
						       const char *description)
{
	for (size_t i = 0; i < fabric->node_count; i++)
		if (!strcmp(fabric->nodes[i]->description, description))
			return &fabric->nodes[i]->public;
	return NULL;
}

const struct madring_node *madring_fabric_node_by_route(const struct madring_fabric *fabric,
							const char *route)
{
	const struct node *node = fabric->root;
	struct route hops;

	if (route_read(&hops, route))
		return NULL;
	for (unsigned int hop = 1; node && hop <= hops.hops; hop++) {
		const struct port *peer = NULL;

		if (hops.port[hop] <= node->public.port_count)
			peer = node->port[hops.port[hop]].peer;
		node = peer ? peer->node : NULL;
	}
	return shown(node);
}

const struct madring_node_port *madring_fabric_port_by_guid(const struct madring_fabric *fabric,
							    uint64_t guid)
{
	const struct port *port = fabric_find_port(fabric, guid);

	return port ? &port->public : NULL;
}

static const struct madring_node_port *port_with_lid(const struct node *node, uint16_t lid)
{
	unsigned int last = node->public.type == MADRING_NODE_SWITCH ? 0 : node->public.port_count;

	for (unsigned int p = 0; p <= last; p++) {
		const struct madring_node_port *port = &node->port[p].public;

		if (port->known && port->lid && lid >= port->lid &&
		    lid < port->lid + (1u << port->lmc))
			return port;
	}
	return NULL;
}

const struct madring_node_port *madring_fabric_port_by_lid(const struct madring_fabric *fabric,
							   uint16_t lid)
{
	const struct madring_node_port *port = NULL;

	for (size_t i = 0; !port && i < fabric->node_count; i++)
		port = port_with_lid(fabric->nodes[i], lid);
	return port;
}

const struct madring_node_port *madring_fabric_local_port(const struct madring_fabric *fabric)
{
	return fabric->root ? &fabric->root->port[fabric->root_port].public : NULL;
}

const struct madring_node_port *madring_node_port_by_number(const struct madring_node *node,
							    unsigned int number)
{
	return number <= node->port_count ? &node_of(node)->port[number].public : NULL;
}

const struct madring_node_port *madring_node_end_port(const struct madring_node *node)
{
	if (node->type == MADRING_NODE_SWITCH || node->entry)
		return madring_node_port_by_number(
			node, node->type == MADRING_NODE_SWITCH ? 0 : node->entry);
	for (unsigned int p = 1; p <= node->port_count; p++)
		if (madring_node_port_by_number(node, p)->found)
			return madring_node_port_by_number(node, p);
	return NULL;
}

const struct madring_node_port *madring_fabric_port(const struct madring_fabric *fabric,
						    const struct madring_node_port *last)
{
	size_t place = last ? port_of(last)->node->place : 0;
	unsigned int number = last ? last->number + 1u : 0;

	for (; place < fabric->node_count; place++, number = 0) {
		const struct node *node = fabric->nodes[place];

		for (; number <= node->public.port_count; number++)
			if (node->port[number].public.found)
				return &node->port[number].public;
	}
	return NULL;
}

const struct madring_node_port *madring_fabric_link(const struct madring_fabric *fabric,
						    const struct madring_node_port *last)
{
	while ((last = madring_fabric_port(fabric, last))) {
		const struct port *port = port_of(last), *peer = port->peer;

		if (peer &&
		    (port->node->place < peer->node->place ||
		     (port->node == peer->node && port->public.number <= peer->public.number)))
			break;
	}
	return last;
}

size_t madring_fabric_problem_count(const struct madring_fabric *fabric)
{
	return fabric->problems.count;
}

const struct madring_problem *madring_fabric_problem(const struct madring_fabric *fabric,
						     size_t place)
{
	return place < fabric->problems.count ? &fabric->problems.list[place]->public : NULL;
}

bool madring_fabric_is_complete(const struct madring_fabric *fabric)
{
	return fabric->is_complete;
}

void madring_fabric_get_sweep_state_sized(const struct madring_fabric *fabric,
					  struct madring_sweep_state *state, size_t state_size)
{
	sized_give(state, state_size, &fabric->state, sizeof(fabric->state));
}
