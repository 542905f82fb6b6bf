/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "common/memory.h"
#include "last_readings.h"

void last_readings_free(struct last_readings *last)
{
	for (size_t i = 0; i < last->node.port_count; i++)
		for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
			free(last->node.ports[i].reading[a]);
	free(last->node.ports);
	*last = (struct last_readings){ 0 };
}

static struct port_counters *find_port(const struct last_readings *last, uint8_t number)
{
	for (size_t i = 0; i < last->node.port_count; i++)
		if (last->node.ports[i].number == number)
			return &last->node.ports[i];
	return NULL;
}

const struct port_counters *last_readings_of(const struct last_readings *last, uint8_t number)
{
	return find_port(last, number);
}

static struct port_counters *add_port(struct last_readings *last, uint8_t number)
{
	struct node_counters *node = &last->node;

	node->ports = memory_grow(node->ports, node->port_count + 1, sizeof(*node->ports));
	node->ports[node->port_count] = (struct port_counters){ .node = node, .number = number };
	return &node->ports[node->port_count++];
}

static void take_port(struct last_readings *last, struct port_counters *port)
{
	struct port_counters *its = find_port(last, port->number);

	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++) {
		if (!port_data(port, a))
			continue;
		if (!its)
			its = add_port(last, port->number);
		free(its->reading[a]);
		its->reading[a] = port->reading[a];
		port->reading[a] = NULL;
	}
}

void last_readings_take(struct last_readings *last, struct node_counters *node)
{
	/* Without ClassPortInfo nothing else was read. */
	if (node->unreachable)
		return;
	last->node.capabilities = node->capabilities;
	for (size_t i = 0; i < node->port_count; i++)
		take_port(last, &node->ports[i]);
}
