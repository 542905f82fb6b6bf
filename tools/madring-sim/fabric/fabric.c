/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "fabric/counters.h"
#include "fabric/flight.h"
#include "fabric/timer.h"

static size_t count_ports(const struct topology *topology)
{
	size_t count = 0;

	for (size_t i = 0; i < topology->node_count; i++)
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
	slabs_open(&fabric->flights, sizeof(struct flight));
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
	if (!fabric)
		return;
	for (size_t i = 0; fabric->topology && i < fabric->topology->node_count; i++)
		node_free(&fabric->nodes[i]);
	counters_close(fabric);
	queue_close(&fabric->queue);
	timers_free(fabric);
	slabs_close(&fabric->flights);
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

uint64_t fabric_now(const struct fabric *fabric)
{
	return fabric->now;
}

void fabric_run(struct fabric *fabric, uint64_t now)
{
	const struct event *next;

	while ((next = queue_peek(&fabric->queue)) && next->time <= now) {
		struct event *event = queue_pop(&fabric->queue);

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
