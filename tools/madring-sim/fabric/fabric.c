/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "counters.h"
#include "flight.h"
#include "timer.h"

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

	if (!topology->node_count)
		return -EINVAL;
	fabric = calloc(1, sizeof(*fabric));
	if (!fabric)
		return -ENOMEM;
	if (fabric_set_model(fabric, &config->model)) {
		fabric_close(fabric);
		return -EINVAL;
	}
	fabric->nodes = calloc(topology->node_count, sizeof(*fabric->nodes));
	fabric->ports = calloc(count_ports(topology), sizeof(*fabric->ports));
	if (!fabric->nodes || !fabric->ports) {
		fabric_close(fabric);
		return -ENOMEM;
	}
	fabric->topology = topology;
	fabric->seed = config->seed;
	fabric->random = config->seed;
	fabric->last_arrival = &fabric->arrivals;
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
		node_free(&fabric->nodes[i]);
	counters_close(fabric);
	queue_close(&fabric->queue);
	timers_free(fabric);
	flights_free(fabric);
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

void fabric_run(struct fabric *fabric, uint64_t now)
{
	const struct event *next;
	struct event *event;

	while ((next = queue_peek(&fabric->queue)) && next->time <= now) {
		event = queue_pop(&fabric->queue);
		if (event->time > fabric->now)
			fabric->now = event->time;
		event->fire(fabric, event);
	}
	if (now > fabric->now)
		fabric->now = now;
}

void fabric_send(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
		 uint64_t now)
{
	fabric_run(fabric, now);
	fabric->stats.sent++;
	flight_start(fabric, &fabric->endpoints[endpoint], packet);
}

uint64_t fabric_next_event(const struct fabric *fabric)
{
	const struct event *event = queue_peek(&fabric->queue);

	if (fabric->arrivals)
		return fabric->now;
	return event ? event->time : FABRIC_NEVER;
}

bool fabric_receive(struct fabric *fabric, uint64_t now, int *endpoint,
		    struct fabric_packet *packet)
{
	fabric_run(fabric, now);
	if (!flight_take_arrival(fabric, endpoint, packet))
		return false;
	fabric->stats.delivered++;
	return true;
}
