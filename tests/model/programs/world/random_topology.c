/* SPDX-License-Identifier: BSD-2-Clause */
#include "random_topology.h"

#include <stdio.h>

#include "model_fail.h"
#include "model/common/prng.h"
#include "topology/builder.h"
#include "topology/link.h"

#define MOST_SWITCH_PORTS 40
#define MOST_SWITCHES	  60 /* no route is longer than a directed one can be */
#define FIRST_ROUTER_GUID 0x300000

struct graph {
	struct prng *prng;
	struct builder builder;
};

static struct topology_node *add(struct graph *graph, enum node_type type, unsigned int ports)
{
	static const char *const speeds[] = { "SDR", "EDR", "NDR", "XDR" };
	struct topology_node *node;
	char name[32];

	expect(link_set_speed(&graph->builder.port, speeds[prng_below(graph->prng, 4)]),
	       "no such speed");
	snprintf(name, sizeof(name), "%s-%zu",
		 type == NODE_SWITCH ? "switch"
		 : type == NODE_CA   ? "host"
				     : "router",
		 graph->builder.topology->node_count);
	expect(!builder_add(&graph->builder, type, name, ports, &node), "no node");
	node->enhanced_port0 = type == NODE_SWITCH && prng_chance(graph->prng, 300000);
	return node;
}

static unsigned int free_port(struct graph *graph, const struct topology_node *node)
{
	unsigned int first = (unsigned int)prng_below(graph->prng, node->port_count);

	for (unsigned int i = 0; i < node->port_count; i++) {
		unsigned int port = 1 + (first + i) % node->port_count;

		if (!node->port[port].peer)
			return port;
	}
	return 0;
}

static struct topology_node *any_switch(struct graph *graph, unsigned int switches)
{
	return graph->builder.topology->nodes[prng_below(graph->prng, switches)];
}

/* Cables a node to one of the first @switches nodes. Returns false if none has a port left. */
static bool cable(struct graph *graph, struct topology_node *node, unsigned int switches)
{
	unsigned int port = free_port(graph, node);

	for (unsigned int i = 0; port && i < 4 * switches; i++) {
		struct topology_node *other = any_switch(graph, switches);
		unsigned int other_port = free_port(graph, other);

		if (other_port && !(other == node && other_port == port))
			return !builder_connect(node, port, other, other_port);
	}
	return false;
}

/*
 * Adds switches, each with a cable to one before it, and then more cables, some from a switch to
 * itself.
 */
static void add_switches(struct graph *graph, unsigned int switches)
{
	for (unsigned int i = 0; i < switches; i++) {
		unsigned int ports = (unsigned int)prng_range(graph->prng, 6, MOST_SWITCH_PORTS);
		struct topology_node *node = add(graph, NODE_SWITCH, ports);

		if (i)
			expect(cable(graph, node, i), "a random graph is not connected");
	}
	for (unsigned int i = (unsigned int)prng_below(graph->prng, switches + 1); i; i--)
		cable(graph, any_switch(graph, switches), switches);
}

static void add_ends(struct graph *graph, unsigned int switches, unsigned int ends)
{
	for (unsigned int i = 0; i < ends; i++) {
		bool is_router = prng_chance(graph->prng, 50000);
		unsigned int ports = (unsigned int)prng_range(graph->prng, 1, 4);
		struct topology_node *node = add(graph, is_router ? NODE_ROUTER : NODE_CA, ports);

		for (unsigned int port = 0; port < ports; port++)
			if (!port || prng_chance(graph->prng, 500000))
				cable(graph, node, switches);
	}
}

struct topology *random_topology(struct prng *prng, unsigned int nodes)
{
	unsigned int switches = (unsigned int)prng_range(prng, 1, (nodes + 1) / 2);
	struct graph graph = { .prng = prng };

	if (switches > MOST_SWITCHES)
		switches = MOST_SWITCHES;
	expect(!builder_open(&graph.builder), "no topology");
	/* ibsim numbers routers from GUID 0 on, which no node may have. */
	graph.builder.next_guid[NODE_ROUTER] = FIRST_ROUTER_GUID;
	add_switches(&graph, switches);
	add_ends(&graph, switches, nodes - switches);
	return builder_take(&graph.builder);
}
