/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>

#include "common/complain.h"
#include "common/plural.h"
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
	if (reading->error == -EDESTADDRREQ)
		complain("\"%s\" port %u: %s: %s", name, port->number, what,
			 reading_text(reading, text));
	else if (port->port)
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

static bool has_no_lid(const struct node_counters *node)
{
	return node->unreachable && node->class_port_info.error == -EDESTADDRREQ;
}

static void tell_node(const struct node_counters *node, const char *name)
{
	char text[READING_TEXT_BYTES];

	if (has_no_lid(node))
		complain(
			"\"%s\": none of its ports has a LID: the subnet manager has not set it up",
			name);
	else if (is_problem(&node->class_port_info))
		complain("\"%s\" (LID %u): ClassPortInfo: %s", name,
			 port_counters_lid(&node->ports[node->asking]),
			 reading_text(&node->class_port_info, text));
	if (node->all)
		tell_port(node->all, name);
	for (size_t i = 0; i < node->port_count; i++)
		tell_port(&node->ports[i], name);
}

/* Returns how many nodes were to be asked if none of them has a LID; else 0. */
static size_t count_without_lids(const struct collection *collection)
{
	size_t without = 0;

	for (size_t i = 0; i < collection->node_count; i++) {
		if (collection->nodes[i].wanted && !has_no_lid(&collection->nodes[i]))
			return 0;
		without += collection->nodes[i].wanted;
	}
	return without;
}

static void tell_nodes(const struct collection *collection, const struct names *names)
{
	size_t without = count_without_lids(collection);

	if (without > 1) {
		complain("no counters were read: none of the %zu nodes has a LID, as no subnet "
			 "manager has set up the fabric: start one, such as opensm(8)",
			 without);
		return;
	}
	for (size_t i = 0; i < collection->node_count; i++)
		tell_node(&collection->nodes[i], node_name(names, collection->nodes[i].node));
}

void tell_twins(const struct collection *collection, const struct twins *told,
		const struct names *names, const char *consequence)
{
	for (size_t i = 0; i < collection->twins.count; i++) {
		const struct twin *twin = &collection->twins.list[i];

		if (twins_have(told, twin))
			continue;
		complain("\"%s\" (node GUID 0x%016" PRIx64 ") has the port GUID 0x%016" PRIx64
			 " of \"%s\" (node GUID 0x%016" PRIx64 "): %sgive one of them another GUID",
			 node_name(names, madring_fabric_node_by_guid(collection->fabric,
								      twin->node_guid)),
			 twin->node_guid, twin->guid,
			 node_name(names, madring_fabric_node_by_guid(collection->fabric,
								      twin->keeper_guid)),
			 twin->keeper_guid, consequence);
	}
}

void tell_problems(const struct collection *collection, const struct names *names)
{
	tell_nodes(collection, names);
	tell_twins(collection, &(struct twins){ 0 }, names, "");
	if (collection->stats.clear_failed)
		complain("%ju request%s to clear counters failed: clear them again",
			 (uintmax_t)collection->stats.clear_failed,
			 plural(collection->stats.clear_failed));
	if (collection->error == -ENODEV)
		complain("the device is gone: the collection ended early");
	else if (collection->error)
		complain("the collection ended early: %s", madring_error_text(collection->error));
	if (collection->deadline_reached)
		complain("the deadline ended the collection: what was read until then is all there "
			 "is; --deadline allows more time");
	if (collection->interrupted)
		complain("interrupted: what was collected until then is all there is");
}
