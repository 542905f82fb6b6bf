/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "fabric.h"
#include "node.h"
#include "queue.h"
#include "route.h"
#include "sma/sma.h"
#include "smp.h"

struct fabric {
	struct topology *topology;
	struct node *nodes; /* as topology->nodes */
	struct port *ports;
	struct queue queue;
	struct fabric_stats stats;
	struct place *endpoints;
	int endpoint_count;
	uint64_t random;
	uint64_t loss; /* lost when a random number is below */
};

static size_t count_ports(const struct topology *topology)
{
	size_t count = 0, i;

	for (i = 0; i < topology->node_count; i++)
		count += topology->nodes[i]->port_count + 1u;
	return count;
}

int fabric_open(struct fabric **opened, struct topology *topology,
		const struct fabric_config *config)
{
	struct fabric *fabric;

	if (!topology->node_count || !(config->loss >= 0 && config->loss <= 1))
		return -EINVAL;
	fabric = calloc(1, sizeof(*fabric));
	if (!fabric)
		return -ENOMEM;
	fabric->nodes = calloc(topology->node_count, sizeof(*fabric->nodes));
	fabric->ports = calloc(count_ports(topology), sizeof(*fabric->ports));
	if (!fabric->nodes || !fabric->ports) {
		fabric_close(fabric);
		return -ENOMEM;
	}
	fabric->topology = topology;
	fabric->random = config->seed;
	fabric->loss = config->loss < 1 ? (uint64_t)(config->loss * 0x1p64) : UINT64_MAX;
	node_setup(fabric->nodes, fabric->ports, topology);
	queue_open(&fabric->queue);
	*opened = fabric;
	return 0;
}

void fabric_close(struct fabric *fabric)
{
	size_t i;

	if (!fabric)
		return;
	for (i = 0; fabric->topology && i < fabric->topology->node_count; i++)
		free(fabric->nodes[i].lft);
	queue_close(&fabric->queue);
	topology_free(fabric->topology);
	free(fabric->endpoints);
	free(fabric->ports);
	free(fabric->nodes);
	free(fabric);
}

const struct topology *fabric_topology(const struct fabric *fabric)
{
	return fabric->topology;
}

const struct fabric_stats *fabric_stats(const struct fabric *fabric)
{
	return &fabric->stats;
}

int fabric_attach(struct fabric *fabric, struct topology_node *topology_node, unsigned int number)
{
	struct node *node = &fabric->nodes[topology_node->index];
	struct place *endpoints;
	struct port *port;

	if (number > node->port_count || !number != (node->type == NODE_SWITCH))
		return -EINVAL;
	port = &node->port[number];
	if (port->endpoint >= 0)
		return port->endpoint;
	endpoints = reallocarray(fabric->endpoints, (size_t)fabric->endpoint_count + 1,
				 sizeof(*endpoints));
	if (!endpoints)
		return -ENOMEM;
	fabric->endpoints = endpoints;
	endpoints[fabric->endpoint_count] = (struct place){ .node = node, .port = number };
	port->endpoint = fabric->endpoint_count++;
	return port->endpoint;
}

void fabric_port_state(const struct fabric *fabric, int endpoint, struct fabric_port_state *state)
{
	const struct place *place = &fabric->endpoints[endpoint];
	struct port *port = &place->node->port[place->port];
	uint8_t *info = port->port_info;

	*state = (struct fabric_port_state){
		.lid = port->lid,
		.lmc = port->lmc,
		.sm_lid = (uint16_t)mad_get_field(info, 0, IB_PORT_SMLID_F),
		.sm_sl = (uint8_t)mad_get_field(info, 0, IB_PORT_SMSL_F),
		.state = (uint8_t)mad_get_field(info, 0, IB_PORT_STATE_F),
		.phys_state = (uint8_t)mad_get_field(info, 0, IB_PORT_PHYS_STATE_F),
		.width = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F),
		.speed = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_SPEED_ACTIVE_F),
		.speed_ext = (uint8_t)mad_get_field(info, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F),
		.capability_mask = mad_get_field(info, 0, IB_PORT_CAPMASK_F),
		.gid_prefix = mad_get_field64(info, 0, IB_PORT_GID_PREFIX_F),
		.guid = port->guid,
	};
}

void fabric_kill(struct fabric *fabric, struct topology_node *node)
{
	fabric->nodes[node->index].dead = true;
}

/* splitmix64 */
static uint64_t next_random(struct fabric *fabric)
{
	uint64_t z = (fabric->random += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Draws once for a whole traversal. What crosses no link is never lost. */
static bool is_lost(struct fabric *fabric, const uint8_t *mad, const struct place *from,
		    const struct place *to)
{
	bool crossed = smp_is_directed(mad) ? mad[SMP_HOP_COUNT] : from->node != to->node;

	if (!fabric->loss || !crossed)
		return false;
	if (fabric->loss != UINT64_MAX && next_random(fabric) >= fabric->loss)
		return false;
	fabric->stats.lost++;
	return true;
}

/* Moves a packet from @from to where it arrives. False: it never does, and was counted. */
static bool traverse(struct fabric *fabric, const struct place *from, struct fabric_packet *packet,
		     struct place *to)
{
	enum route_result result;

	*to = *from;
	if (from->node->dead) {
		fabric->stats.unroutable++;
		return false;
	}
	if (smp_is_directed(packet->mad))
		result = packet->dlid == LID_PERMISSIVE ? route_directed(to, packet->mad)
							: ROUTE_INVALID;
	else
		result = route_by_lid(to, packet->dlid);
	if (result == ROUTE_INVALID)
		fabric->stats.discarded++;
	else if (result == ROUTE_NOWHERE)
		fabric->stats.unroutable++;
	return result == ROUTE_ARRIVED && !is_lost(fabric, packet->mad, from, to);
}

static void swap_addresses(struct fabric_packet *packet)
{
	uint16_t lid = packet->slid;
	uint32_t qp = packet->sqp;

	packet->slid = packet->dlid;
	packet->dlid = lid;
	packet->sqp = packet->dqp;
	packet->dqp = qp;
}

/* A switch's managers sit at its port 0, whatever port the packet came in by. */
static int endpoint_at(const struct place *place)
{
	unsigned int port = place->node->type == NODE_SWITCH ? 0 : place->port;

	return place->node->port[port].endpoint;
}

/* The endpoint where the packet, or the answer to it, comes out. -1: nowhere; it was counted. */
static int play(struct fabric *fabric, const struct place *from, struct fabric_packet *packet)
{
	struct place at, back;
	int endpoint;

	if (!traverse(fabric, from, packet, &at))
		return -1;
	if (sma_answers(packet->mad) &&
	    !(smp_is_directed(packet->mad) && smp_returns(packet->mad))) {
		if (!sma_answer(at.node, at.port, packet->mad)) {
			fabric->stats.discarded++;
			return -1;
		}
		fabric->stats.answered++;
		swap_addresses(packet);
		if (!traverse(fabric, &at, packet, &back))
			return -1;
		at = back;
	}
	endpoint = endpoint_at(&at);
	if (endpoint < 0)
		fabric->stats.discarded++;
	return endpoint;
}

static bool is_smp(const uint8_t *mad)
{
	return mad[SMP_CLASS] == IB_SMI_CLASS || mad[SMP_CLASS] == IB_SMI_DIRECT_CLASS;
}

/* A source LID of 0 is for the port to fill in. */
static void fill_slid(const struct place *from, struct fabric_packet *packet)
{
	unsigned int port = from->node->type == NODE_SWITCH ? 0 : from->port;

	if (smp_is_directed(packet->mad))
		packet->slid = LID_PERMISSIVE;
	else if (!packet->slid)
		packet->slid = from->node->port[port].lid;
}

void fabric_send(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
		 uint64_t now)
{
	struct event *event;

	fabric->stats.sent++;
	event = is_smp(packet->mad) ? queue_take(&fabric->queue) : NULL;
	if (!event) {
		fabric->stats.discarded++;
		return;
	}
	event->packet = *packet;
	fill_slid(&fabric->endpoints[endpoint], &event->packet);
	event->endpoint = play(fabric, &fabric->endpoints[endpoint], &event->packet);
	if (event->endpoint < 0) {
		queue_give(&fabric->queue, event);
	} else if (queue_push(&fabric->queue, event, now)) {
		queue_give(&fabric->queue, event);
		fabric->stats.discarded++;
	}
}

uint64_t fabric_next_event(const struct fabric *fabric)
{
	const struct event *event = queue_peek(&fabric->queue);

	return event ? event->time : FABRIC_NEVER;
}

bool fabric_receive(struct fabric *fabric, uint64_t now, int *endpoint,
		    struct fabric_packet *packet)
{
	struct event *event;

	if (fabric_next_event(fabric) > now)
		return false;
	event = queue_pop(&fabric->queue);
	if (!event)
		return false;
	*endpoint = event->endpoint;
	*packet = event->packet;
	queue_give(&fabric->queue, event);
	fabric->stats.delivered++;
	return true;
}
