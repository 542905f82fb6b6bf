/* SPDX-License-Identifier: BSD-2-Clause */
#include "earlier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <madring/names.h>

#include "discovery.h"
#include "graph.h"

static void look_at(struct earlier *earlier, const struct node *node)
{
	earlier->is_looked_at[node->place] = true;
}

static bool looks_at(const struct earlier *earlier, const struct node *node)
{
	return earlier->is_looked_at[node->place];
}

static void look_at_switches(struct earlier *earlier)
{
	for (size_t i = 0; i < earlier->fabric->node_count; i++)
		if (earlier->fabric->nodes[i]->public.type == MADRING_NODE_SWITCH)
			look_at(earlier, earlier->fabric->nodes[i]);
}

/* Looks at the node that a problem is about, if the earlier sweep knew one. */
static void look_at_problem(struct earlier *earlier, const struct problem *problem)
{
	const struct port *exit =
		problem->public.exit ? &problem->via->port[problem->public.exit] : NULL;

	if (problem->node)
		look_at(earlier, problem->node);
	if (exit && exit->peer)
		look_at(earlier, exit->peer->node);
	if (!exit && problem->via)
		look_at(earlier, problem->via);
}

int earlier_open(struct earlier *earlier, const struct madring_fabric *fabric,
		 const struct madring_node *const *nodes, size_t count)
{
	*earlier = (struct earlier){ .fabric = fabric };
	earlier->is_looked_at = calloc(fabric->node_count + 1, sizeof(bool));
	if (!earlier->is_looked_at)
		return -ENOMEM;
	if (!nodes)
		look_at_switches(earlier);
	for (size_t i = 0; nodes && i < count; i++) {
		/* The public part of a node is its first member. */
		const struct node *node = (const struct node *)nodes[i];

		if (!node || node->fabric != fabric)
			return -EINVAL;
		look_at(earlier, node);
	}
	for (size_t i = 0; i < fabric->problems.count; i++)
		look_at_problem(earlier, fabric->problems.list[i]);
	if (fabric->root)
		look_at(earlier, fabric->root);
	return 0;
}

void earlier_close(struct earlier *earlier)
{
	free(earlier->is_looked_at);
	*earlier = (struct earlier){ 0 };
}

/* Returns the same port in the earlier fabric, or NULL. */
static const struct port *port_before(const struct port *port)
{
	return port->node->earlier ? &port->node->earlier->port[port->public.number] : NULL;
}

static bool is_same_node(const struct madring_node *now, const struct madring_node *before)
{
	return now->type == before->type && now->port_count == before->port_count &&
	       now->system_guid == before->system_guid && now->vendor_id == before->vendor_id &&
	       now->device_id == before->device_id && now->revision == before->revision;
}

/*
 * Returns whether a port was asked for its PortInfo, and is as before, as programs see it: a file
 * has no more. The LID of a switch is no matter of its links.
 */
static bool is_same_port(const struct port *port)
{
	const struct madring_node_port *now = &port->public, *then;
	const struct port *before = port_before(port);

	if (!before || !before->public.known || !port->public.known || port->is_recalled)
		return false;
	then = &before->public;
	if (port->node->public.type != MADRING_NODE_SWITCH &&
	    (now->lid != then->lid || now->lmc != then->lmc))
		return false;
	return now->state == then->state && now->physical_state == then->physical_state &&
	       now->width == then->width &&
	       !strcmp(madring_link_speed_text(now), madring_link_speed_text(then));
}

/* Returns whether a link is as it was: @from is, and leads to the same port. */
static bool is_same_link(const struct port *from, const struct port *to)
{
	const struct port *before = port_before(from);

	return before && (from->is_recalled || is_same_port(from)) && before->peer &&
	       before->peer == port_before(to);
}

/* Returns whether @from leads to @port as it did before. */
static bool led_before(const struct port *from, const struct port *port)
{
	return port_before(from) && port_before(from) == port_before(port)->peer;
}

void earlier_add(const struct earlier *earlier, struct node *node, const struct query *query)
{
	const struct node *before;

	if (query->via)
		node->found_by = &query->via->port[query->exit];
	if (!earlier->fabric)
		return;
	before = fabric_find(earlier->fabric, node->public.guid);
	if (!before || !is_same_node(&node->public, &before->public))
		return;
	node->earlier = before;
	node->is_recalled = node->found_by && !looks_at(earlier, before) &&
			    is_same_link(node->found_by, &node->port[node->public.entry]);
}

/* Returns whether the link at a port that is looked at was asked for, and is as it was. */
static bool was_found_same(const struct discovery *discovery, const struct port *before)
{
	const struct node *node = fabric_find(discovery->fabric, before->node->public.guid);

	return node && node->earlier == before->node &&
	       is_same_port(&node->port[before->public.number]);
}

static bool has_port_info(const struct discovery *discovery, const struct port *port)
{
	const struct earlier *earlier = &discovery->earlier;
	const struct port *before = port_before(port), *peer;

	if (!port->node->is_recalled || port->is_distrusted || !before->public.known)
		return false;
	if (port->reached_by && !led_before(port->reached_by, port))
		return false;
	peer = before->peer;
	return !peer || !looks_at(earlier, peer->node) || was_found_same(discovery, peer);
}

/*
 * Returns whether a port leads to where it led, as neither of its ends is looked at. A link that
 * only one end of a fabric from a file has is none.
 */
static bool has_far_end(const struct earlier *earlier, const struct port *from)
{
	const struct port *before = port_before(from);

	return from->is_recalled && before->peer && before->peer->public.number &&
	       before->peer->peer == before && !looks_at(earlier, before->peer->node);
}

bool earlier_has(const struct discovery *discovery, const struct query *query)
{
	const struct node *node = query->node;
	const struct earlier *earlier = &discovery->earlier;

	if (!earlier->fabric || query->problem || query->proves_way)
		return false;
	switch (query->attribute) {
	case MADRING_ATTR_NODE_INFO:
		return !node && query->via && has_far_end(earlier, &query->via->port[query->exit]);
	case MADRING_ATTR_NODE_DESCRIPTION:
		/* A node without a description may not have replied. */
		return node->is_recalled && node->earlier->description[0];
	case MADRING_ATTR_SWITCH_INFO:
		/* A file of an earlier version has no SwitchInfo. */
		return node->is_recalled && node->earlier->has_switch_info;
	case MADRING_ATTR_PORT_INFO:
		return !(query->modifier & PORT_INFO_EXTENDED_SPEEDS) &&
		       has_port_info(discovery, &node->port[query->modifier]);
	case MADRING_ATTR_EXTENDED_PORT_INFO:
		return node->port[query->modifier].is_recalled;
	}
	return false;
}

const struct port *earlier_far_end(const struct query *query)
{
	return port_before(&query->via->port[query->exit])->peer;
}

bool earlier_contradicts(const struct port *from, const struct port *port)
{
	return port->is_recalled && !led_before(from, port);
}
