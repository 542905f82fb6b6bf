/* SPDX-License-Identifier: BSD-2-Clause */
#include "truth.h"

#include <stdlib.h>

#include "fabric/traffic.h"
#include "model_fail.h"
#include "model/common/must_alloc.h"
#include "network.h"
#include "topology/topology.h"

#define PHYSICAL_LINK_UP 5

static const enum fabric_counter counters[TRUTH_COUNTERS] = {
	FABRIC_SYMBOL_ERRORS,
	FABRIC_LINK_RECOVERIES,
	FABRIC_LINK_DOWNED,
	FABRIC_RCV_ERRORS,
	FABRIC_RCV_REMOTE_PHYSICAL_ERRORS,
	FABRIC_RCV_SWITCH_RELAY_ERRORS,
	FABRIC_XMIT_DISCARDS,
	FABRIC_XMIT_CONSTRAINT_ERRORS,
	FABRIC_RCV_CONSTRAINT_ERRORS,
	FABRIC_LOCAL_LINK_INTEGRITY_ERRORS,
	FABRIC_EXCESSIVE_BUFFER_OVERRUNS,
	FABRIC_VL15_DROPPED,
	FABRIC_COUNTERS, /* QP1Dropped, which no PMA here has */
	FABRIC_XMIT_WAIT,
	FABRIC_XMIT_DATA,
	FABRIC_RCV_DATA,
	FABRIC_XMIT_PKTS,
	FABRIC_RCV_PKTS,
	FABRIC_UNICAST_XMIT_PKTS,
	FABRIC_UNICAST_RCV_PKTS,
	FABRIC_MULTICAST_XMIT_PKTS,
	FABRIC_MULTICAST_RCV_PKTS,
};

static void look_at_port(struct truth *truth, const struct topology_node *node, unsigned int number)
{
	struct truth_port *port = &truth->nodes[node->index].port[number];
	const struct fabric *fabric = network_fabric();
	const struct topology_node *peer = node->port[number].peer;
	struct fabric_port_state state;

	fabric_view_port(fabric, node, number, &state);
	*port = (struct truth_port){
		.peer = peer ? &truth->nodes[peer->index] : NULL,
		.peer_port = node->port[number].peer_port,
		.link_is_up = number && state.phys_state == PHYSICAL_LINK_UP,
		.guid = state.guid,
		.lid = state.lid,
		.state = state.state,
		.phys_state = state.phys_state,
		.width = state.width,
		.speed = state.speed,
		.speed_ext = state.speed_ext,
	};
	if (!number && node->type != NODE_SWITCH)
		return;
	for (unsigned int i = 0; i < TRUTH_COUNTERS; i++)
		if (counters[i] != FABRIC_COUNTERS)
			fabric_get_counter(fabric, node, number, counters[i], &port->counter[i]);
}

static void look_at_node(struct truth *truth, const struct topology_node *node)
{
	struct truth_node *to = &truth->nodes[node->index];
	struct fabric_node_view view;

	fabric_view_node(network_fabric(), node, &view);
	*to = (struct truth_node){
		.guid = node->node_guid,
		.system_guid = node->system_guid,
		.type = (int)node->type,
		.port_count = node->port_count,
		.description = node->description,
		.enhanced_port0 = node->enhanced_port0,
		.answers = view.health == FABRIC_WELL,
		.port = must_alloc((node->port_count + 1u) * sizeof(*to->port)),
	};
	truth->switches += node->type == NODE_SWITCH;
	for (unsigned int port = 0; port <= node->port_count; port++)
		look_at_port(truth, node, port);
}

bool truth_leads_on(const struct truth *truth, const struct truth_node *node, unsigned int port)
{
	if (!port)
		return false;
	return node->type == NODE_SWITCH || (node == truth->root && port == truth->root_port);
}

static void reach(struct truth *truth, struct truth_node *first)
{
	struct truth_node **queue = must_alloc(truth->count * sizeof(struct truth_node *));
	size_t tail = 1;

	queue[0] = first;
	first->is_reachable = true;
	for (size_t head = 0; head < tail; head++) {
		struct truth_node *node = queue[head];

		truth->reachable_count++;
		truth->ports += node->port_count;
		for (unsigned int number = 1; number <= node->port_count; number++) {
			const struct truth_port *port = &node->port[number];
			struct truth_node *peer = (struct truth_node *)(uintptr_t)port->peer;

			if (!port->link_is_up || !truth_leads_on(truth, node, number))
				continue;
			truth->silent_links += !peer->answers;
			if (!peer->answers || peer->is_reachable)
				continue;
			peer->is_reachable = true;
			queue[tail++] = peer;
		}
	}
	free(queue);
}

struct truth *truth_look(void)
{
	const struct topology *topology = fabric_topology(network_fabric());
	struct truth *truth = must_alloc(sizeof(*truth));

	truth->count = topology->node_count;
	truth->nodes = must_alloc(truth->count * sizeof(*truth->nodes));
	for (size_t i = 0; i < truth->count; i++)
		look_at_node(truth, topology->nodes[i]);
	truth->root = &truth->nodes[network_root()->index];
	truth->root_port = network_root_port();
	reach(truth, &truth->nodes[network_root()->index]);
	return truth;
}

void truth_free(struct truth *truth)
{
	for (size_t i = 0; i < truth->count; i++)
		free(truth->nodes[i].port);
	free(truth->nodes);
	free(truth);
}

/* `truth_find` looks at each node: GUIDs of a type need not follow each other. */
const struct truth_node *truth_find(const struct truth *truth, uint64_t guid)
{
	for (size_t i = 0; i < truth->count; i++)
		if (truth->nodes[i].guid == guid)
			return &truth->nodes[i];
	return NULL;
}
