/* SPDX-License-Identifier: BSD-2-Clause */
/* How links and nodes behave, and the changing of it while time goes on. */
#include <errno.h>

#include "fabric/counters.h"
#include "fabric/inside.h"
#include "fabric/link_state.h"

const struct fabric_model fabric_ideal = { 0 };

const struct fabric_model fabric_real = {
	.hop = 600,
	.transit = 4000,
	.service = { [NODE_CA] = 12000, [NODE_SWITCH] = 18000, [NODE_ROUTER] = 12000 },
	.queue = 64,
	.reorder_delay = 50000,
	.training = 100000000,
};

static bool is_probability(double number)
{
	return number >= 0 && number <= 1;
}

int fabric_set_model(struct fabric *fabric, const struct fabric_model *model)
{
	if (!is_probability(model->loss) || !is_probability(model->duplicate) ||
	    !is_probability(model->reorder) || !is_probability(model->corrupt))
		return -EINVAL;
	fabric->model = *model;
	return 0;
}

const struct fabric_model *fabric_model(const struct fabric *fabric)
{
	return &fabric->model;
}

static struct node *node_of(struct fabric *fabric, const struct topology_node *node)
{
	return &fabric->nodes[node->index];
}

static void refresh_links(struct fabric *fabric, struct node *node)
{
	for (unsigned int number = 1; number <= node->port_count; number++)
		link_refresh(fabric, node, number);
}

void fabric_set_health(struct fabric *fabric, const struct topology_node *topology_node,
		       enum fabric_health health)
{
	struct node *node = node_of(fabric, topology_node);
	bool was_off = node->health == FABRIC_OFF;

	if (node->health == health)
		return;
	node->health = (uint8_t)health;
	if (health == FABRIC_OFF) {
		refresh_links(fabric, node);
		node_restart(node);
		counters_restart(fabric, node);
	} else if (was_off) {
		refresh_links(fabric, node);
	}
}

void fabric_set_service(struct fabric *fabric, const struct topology_node *node, uint64_t ns)
{
	node_of(fabric, node)->service = ns;
}

void fabric_set_lateness(struct fabric *fabric, const struct topology_node *node, uint64_t ns)
{
	node_of(fabric, node)->lateness = ns;
}

void fabric_stall(struct fabric *fabric, const struct topology_node *topology_node, uint64_t ns)
{
	struct node *node = node_of(fabric, topology_node);

	if (node->agent.free_at < fabric->now)
		node->agent.free_at = fabric->now;
	node->agent.free_at = time_after(node->agent.free_at, ns);
}

int fabric_set_cable(struct fabric *fabric, const struct topology_node *topology_node,
		     unsigned int number, bool in)
{
	struct node *node = node_of(fabric, topology_node);
	struct port *port;

	if (!number || number > node->port_count || !node->port[number].peer)
		return -EINVAL;
	port = &node->port[number];
	port->cable_out = !in;
	port->peer->port[port->peer_port].cable_out = !in;
	link_refresh(fabric, node, number);
	return 0;
}

void fabric_work(const struct fabric *fabric, const struct topology_node *topology_node,
		 struct fabric_work *work)
{
	const struct node *node = &fabric->nodes[topology_node->index];

	*work = (struct fabric_work){
		.served = node->agent.done,
		.agent_busy = node->agent.busy,
		.passed_on = node->smi.done,
		.transit_busy = node->smi.busy,
	};
}
