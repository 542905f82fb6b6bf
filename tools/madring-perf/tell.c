/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "common/complain.h"
#include "tell.h"

static bool is_problem(const struct reading *reading)
{
	return reading && (reading->state == READING_STATUS || reading->state == READING_NO_REPLY ||
			   reading->state == READING_MALFORMED);
}

static void tell_reading(const struct port_counters *port, enum pma_attribute attribute,
			 const char *name)
{
	const struct reading *reading = port->reading[attribute];
	const char *what = pma_attribute_info(attribute)->name;
	char text[READING_TEXT_BYTES];

	if (!is_problem(reading))
		return;
	if (port->port)
		complain("\"%s\" (LID %u) port %u: %s: %s", name, port_counters_lid(port),
			 port->number, what, reading_text(reading, text));
	else
		complain("\"%s\" (LID %u) all ports: %s: %s", name, port_counters_lid(port), what,
			 reading_text(reading, text));
}

static void tell_port(const struct port_counters *port, const char *name)
{
	for (unsigned int a = 0; a < PMA_ATTRIBUTES; a++)
		tell_reading(port, a, name);
}

static void tell_node(const struct node_counters *node, const char *name)
{
	char text[READING_TEXT_BYTES];

	if (is_problem(&node->class_port_info))
		complain("\"%s\" (LID %u): ClassPortInfo: %s", name,
			 port_counters_lid(&node->ports[node->asking]),
			 reading_text(&node->class_port_info, text));
	if (node->all)
		tell_port(node->all, name);
	for (size_t i = 0; i < node->port_count; i++)
		tell_port(&node->ports[i], name);
}

void tell_problems(const struct collection *collection, const struct names *names)
{
	for (size_t i = 0; i < collection->node_count; i++)
		tell_node(&collection->nodes[i], node_name(names, collection->nodes[i].node));
	if (collection->stats.clear_failed)
		complain("%ju counters could not be cleared",
			 (uintmax_t)collection->stats.clear_failed);
	if (collection->error == -ENODEV)
		complain("the device is gone: the collection ended early");
	else if (collection->error)
		complain("the collection ended early: %s", madring_strerror(collection->error));
	if (collection->deadline_reached)
		complain("the deadline ended the collection: what was read until then is all there "
			 "is; --deadline allows more time");
	if (collection->interrupted)
		complain("interrupted: what was collected until then is all there is");
}
