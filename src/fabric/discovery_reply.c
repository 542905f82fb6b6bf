/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes replies into the graph of a discovery, and decides which queries follow from them. */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <madring.h>
#include <madring/structs.h>

#include "cables.h"
#include "discovery.h"

static struct problem *note_problem(struct discovery *discovery, const struct query *query,
				    enum madring_problem_kind kind)
{
	struct problem *problem = problem_add(&discovery->problems, kind);

	discovery->earlier.is_doubtful |= query->proves_way;
	if (discovery->problems.is_short)
		discovery_fail(discovery, -ENOMEM);
	if (query->node && !query->problem)
		query->node->is_partial = true;
	problem_set_way(problem, query->via, query->exit);
	problem->public.attribute = query->attribute;
	problem->public.attribute_name =
		madring_attribute_name(MADRING_CLASS_SMP, query->attribute);
	problem->public.modifier = query->modifier;
	return problem;
}

/*
 * Notes that a second node has the GUID of @node, at the end of @query's route, and asks that
 * one for its description. What was recalled of an earlier fabric may be the reason, too.
 */
static void note_conflict(struct discovery *discovery, const struct query *query, struct node *node,
			  const char *text)
{
	struct problem *problem;

	if (discovery->earlier.fabric) {
		discovery->earlier.is_doubtful = true;
		return;
	}
	problem = note_problem(discovery, query, MADRING_PROBLEM_CONFLICT);
	problem->node = node;
	problem->public.node = &node->public;
	problem->public.reason = text;
	discovery_ask(discovery, &(struct query){ .via = query->via,
						  .exit = query->exit,
						  .attribute = MADRING_ATTR_NODE_DESCRIPTION,
						  .node = node,
						  .has_mkey = query->has_mkey,
						  .mkey = query->mkey,
						  .problem = problem });
}

/*
 * Asks @node for an attribute, by the way that @query went, and with the same M_Key: what answers
 * there may not be the node whose GUID it claims.
 */
static void ask_attribute(struct discovery *discovery, const struct query *query, struct node *node,
			  uint16_t attribute, uint32_t modifier)
{
	discovery_ask(discovery, &(struct query){ .via = query->via,
						  .exit = query->exit,
						  .attribute = attribute,
						  .modifier = modifier,
						  .node = node,
						  .has_mkey = query->has_mkey,
						  .mkey = query->mkey });
}

static void ask_port(struct discovery *discovery, const struct query *query, struct node *node,
		     uint8_t number)
{
	struct port *port = &node->port[number];

	port->public.found = true;
	if (port->asked)
		return;
	port->asked = true;
	ask_attribute(discovery, query, node, MADRING_ATTR_PORT_INFO, number);
}

/*
 * Asks a new node for all its attributes, on the way by which it was found. Port 0 of a switch is
 * the first, because it tells the LID: see discovery->port_seen.
 */
static void ask_node(struct discovery *discovery, const struct query *query, struct node *node)
{
	bool is_switch = node->public.type == MADRING_NODE_SWITCH;

	if (is_switch)
		ask_port(discovery, query, node, 0);
	ask_attribute(discovery, query, node, MADRING_ATTR_NODE_DESCRIPTION, 0);
	if (!is_switch)
		return;
	ask_attribute(discovery, query, node, MADRING_ATTR_SWITCH_INFO, 0);
	for (unsigned int p = 1; p <= node->public.port_count; p++)
		ask_port(discovery, query, node, p);
}

/* Returns why the node that answered cannot be the known one with its GUID, or NULL if it can. */
static const char *find_contradiction(const struct node *node, const struct madring_node_info *info)
{
	const struct port *port;

	if (info->type != node->public.type || info->port_count != node->public.port_count)
		return "they differ in type or number of ports";
	port = &node->port[info->local_port];
	if (info->system_guid != node->public.system_guid ||
	    info->vendor_id != node->public.vendor_id || info->device_id != node->public.device_id)
		return "they differ in vendor, device or system image GUID";
	if ((node->public.type == MADRING_NODE_SWITCH || port->public.found) &&
	    info->port_guid != port->public.guid)
		return "their port GUIDs differ";
	return NULL;
}

/*
 * Leaves a new node out, because the limit of nodes or ports is reached. Known nodes are still
 * asked for everything, but for those in the branch that holds most ports, if there is one. That
 * branch has waited for the others, and nobody needs to know more of it.
 */
static void leave_out(struct discovery *discovery, const struct query *query)
{
	if (!discovery->limit) {
		discovery->limit = note_problem(discovery, query, MADRING_PROBLEM_LIMIT);
		discovery->limit->public.reason =
			"there are more nodes than the sweep may find, or more "
			"ports than any subnet has";
		discovery->cut = branch_heaviest(discovery->fabric);
		if (discovery->cut) {
			problem_set_way(discovery->limit, discovery->cut, 0);
			discovery->limit->public.reason =
				"there are more nodes than the sweep may find, or "
				"more ports than any subnet has, and most of them "
				"are behind this node";
		}
	}
	discovery->limit->public.left_out++;
}

/* Adds a node that has answered. Returns NULL if the discovery is given up, or may find no more. */
static struct node *add_node(struct discovery *discovery, const struct query *query,
			     const struct madring_node_info *info)
{
	struct route route;
	struct node *node;

	query_route(query, &route);
	node = discovery->fabric->node_count < discovery->max_nodes
		       ? fabric_add(discovery->fabric, info, &route)
		       : NULL;
	if (!node && discovery->fabric->is_short) {
		discovery_fail(discovery, -ENOMEM);
		return NULL;
	}
	if (!node) {
		leave_out(discovery, query);
		return NULL;
	}
	branch_add(node, query);
	node->public.m_key = query->mkey;
	earlier_add(&discovery->earlier, node, query);
	if (!query->via) {
		discovery->fabric->root = node;
		discovery->fabric->root_port = info->local_port;
	}
	return node;
}

/* Notes that @port answered at the other end of @from, and tells of a link that is new. */
static void reach_port(struct discovery *discovery, struct port *from, struct port *port)
{
	bool is_known = from->reaches || port->reaches == from;

	cable_reaches(from, port);
	if (!is_known && discovery->link_seen)
		discovery->link_seen(discovery->seen_context, from, port);
}

/* Takes the NodeInfo at the end of a query's route: of a new node, or of a known one. */
static struct node *take_node(struct discovery *discovery, const struct query *query,
			      const struct madring_node_info *info)
{
	struct port *from = query->via ? &query->via->port[query->exit] : NULL;
	struct node *node = fabric_find(discovery->fabric, info->node_guid);
	bool is_new = !node;
	const char *wrong = is_new ? NULL : find_contradiction(node, info);
	struct port *port;

	if (wrong) {
		note_conflict(discovery, query, node, wrong);
		return NULL;
	}
	if (is_new)
		node = add_node(discovery, query, info);
	if (!node)
		return NULL;
	port = &node->port[info->local_port];
	port->public.guid = info->port_guid;
	if (discovery->seen)
		discovery->seen(discovery->seen_context, query, node, port->public.number, is_new);
	if (from)
		reach_port(discovery, from, port);
	if (is_new)
		ask_node(discovery, query, node);
	if (node->public.type != MADRING_NODE_SWITCH)
		ask_port(discovery, query, node, port->public.number);
	return node;
}

/* Takes what answered at a recalled link. */
static void take_proof(struct discovery *discovery, const struct port *from,
		       const struct madring_node_info *info)
{
	const struct port *reached = from->reaches;

	assert(reached);
	if (info->node_guid != reached->node->public.guid ||
	    info->local_port != reached->public.number)
		discovery->earlier.is_doubtful = true;
}

/* Asks for a port again, because another link leads to it than the one that was recalled. */
static void distrust_port(struct discovery *discovery, const struct query *query, struct port *port)
{
	port->is_distrusted = true;
	port->is_recalled = false;
	port->asked = false;
	ask_port(discovery, query, port->node, port->public.number);
}

static void take_node_info(struct discovery *discovery, const struct query *query,
			   const void *attribute)
{
	struct port *from = query->via ? &query->via->port[query->exit] : NULL;
	struct madring_node_info info;
	const char *wrong = node_info_decode(&info, attribute, from);
	struct node *node;

	if (wrong) {
		note_problem(discovery, query, MADRING_PROBLEM_MALFORMED)->public.reason = wrong;
		return;
	}
	if (from && query->proves_way) {
		take_proof(discovery, from, &info);
		return;
	}
	node = take_node(discovery, query, &info);
	if (from && node && earlier_contradicts(from, &node->port[info.local_port]))
		distrust_port(discovery, query, &node->port[info.local_port]);
}

/*
 * Asks again for the PortInfo of a port that has LinkSpeedExtActive2 but shows none of it. An SMA
 * may keep it from a requester that does not say that it knows extended speeds.
 */
static void ask_speeds2(struct discovery *discovery, const struct query *query, struct port *port)
{
	const struct port_info *info = &port->info;

	if (!port->public.number || !port->public.known || port->asked_speeds2 ||
	    !port_has_speeds2(port) || port->public.physical_state != PHYSICAL_STATE_LINK_UP ||
	    info->speed_ext2 || info->speed_ext2_supported)
		return;
	port->asked_speeds2 = true;
	ask_attribute(discovery, query, port->node, MADRING_ATTR_PORT_INFO,
		      PORT_INFO_EXTENDED_SPEEDS | port->public.number);
}

/*
 * Asks for all that PortInfo has not told of a link. The port 0 of a switch, whose capabilities are
 * those of all its ports, may answer last.
 */
static void ask_link(struct discovery *discovery, const struct query *query, struct port *port)
{
	const struct port_info *info = &port->info;
	struct node *node = port->node;

	if (!port->public.number)
		for (unsigned int p = 1; p <= node->public.port_count; p++)
			ask_speeds2(discovery, query, &node->port[p]);
	else if (node->public.type != MADRING_NODE_SWITCH || node->port[0].public.known)
		ask_speeds2(discovery, query, port);
	/* PortInfo shows FDR10 as QDR. */
	if (port->public.number && port->public.speed == 4 && info->speed_ext == 0 &&
	    info->speed_ext2 == 0 && node_has_extended_port_info(&node->public))
		ask_attribute(discovery, query, node, MADRING_ATTR_EXTENDED_PORT_INFO,
			      port->public.number);
}

/*
 * Shows a port whose PortInfo is new, and the others of a switch, whose LID and capabilities are
 * those of port 0.
 */
static void combine_known(struct port *port)
{
	struct node *node = port->node;

	port_combine(port);
	if (!port->public.number)
		for (unsigned int p = 1; p <= node->public.port_count; p++)
			port_combine(&node->port[p]);
}

static struct port *port_of(const struct query *query)
{
	return &query->node->port[query->modifier & ~PORT_INFO_EXTENDED_SPEEDS];
}

/* Notes that nothing can be asked beyond the local port, because its link is down. */
static void note_local_link(struct discovery *discovery, const struct query *next)
{
	const struct madring_fabric *fabric = discovery->fabric;

	if (next->via == fabric->root && next->exit == fabric->root_port && next->exit)
		note_problem(discovery, next, MADRING_PROBLEM_NO_REPLY)->public.error = -ENETDOWN;
}

/* Takes the PortInfo of a port, and asks for the NodeInfo at the other end of its cable. */
static void take_port(struct discovery *discovery, const struct query *query)
{
	struct node *node = query->node;
	struct port *port = port_of(query);
	struct query next = { .via = node,
			      .exit = port->public.number,
			      .attribute = MADRING_ATTR_NODE_INFO };

	port->public.known = true;
	combine_known(port);
	if (discovery->port_seen)
		discovery->port_seen(discovery->port_context, port);
	if (query->modifier & PORT_INFO_EXTENDED_SPEEDS)
		return;
	if (port->public.physical_state != PHYSICAL_STATE_LINK_UP) {
		note_local_link(discovery, &next);
		return;
	}
	ask_link(discovery, query, port);
	if (query->back) {
		discovery->cables.proved++;
		reach_port(discovery, port, port->reached_by);
		return;
	}
	if (!port_leads_on(discovery->fabric, port))
		return;
	/*
	 * A node's entry leads back to where the sweep came from; that of the local node leads out.
	 */
	if (port->public.number == node->public.entry && node != discovery->fabric->root)
		return;
	if (node->public.hops >= ROUTE_MAX_HOPS) {
		note_problem(discovery, &next, MADRING_PROBLEM_TOO_FAR)->public.reason =
			"the route is longer than 63 hops";
		return;
	}
	discovery_ask(discovery, &next);
}

static void take_port_info(struct discovery *discovery, const struct query *query,
			   const void *attribute)
{
	struct port *port = port_of(query);

	port_info_decode(&port->public, &port->info, attribute);
	port->is_recalled = false;
	take_port(discovery, query);
}

static bool asks_speeds2(const struct query *query)
{
	return query->attribute == MADRING_ATTR_PORT_INFO &&
	       query->modifier & PORT_INFO_EXTENDED_SPEEDS;
}

/* Returns why a MAD is no reply to a query, or NULL if it is one. */
static const char *reply_check(const struct query *query, const struct madring_mad_hdr *header,
			       size_t length)
{
	if (length < MADRING_SMP_DATA + MADRING_SMP_DATA_BYTES)
		return "it is too short";
	if (header->mgmt_class != query_class(query) || header->method != MADRING_GET_RESP)
		return "it is no GetResp of the class that was asked";
	if (be16toh(header->attr_id) != query->attribute ||
	    be32toh(header->attr_mod) != query->modifier)
		return "it is of another attribute than was asked for";
	return NULL;
}

/*
 * Asks again what a query did not find out over a cable and back, or by LID. Returns false if the
 * query went straight by the directed route. @is_unusable: so it would be with others by its LID.
 */
static bool ask_again(struct discovery *discovery, struct query *query, bool is_unusable)
{
	struct query again = *query;

	if (!query->back && !query->lid)
		return false;
	again.is_straight |= query->back != 0;
	again.is_directed |= !query->back;
	if (query->lid)
		lids_lose(discovery, query, is_unusable);
	if (query->attribute != MADRING_ATTR_NODE_INFO)
		discovery_ask(discovery, &again);
	query->decides_lid = false;
	return true;
}

static void take_switch_info(struct node *node, const void *attribute)
{
	madring_switch_info_decode(&node->switch_info, attribute);
	node->has_switch_info = true;
	node->public.enhanced_port0 = node->switch_info.enhanced_port0;
}

/* Asks a node whose LID is new for NodeInfo by it. */
static void try_lid(struct discovery *discovery, const struct query *query)
{
	ask_attribute(discovery, query, query->node, MADRING_ATTR_NODE_INFO, 0);
}

static void take_node_info_by_lid(struct discovery *discovery, const struct query *query,
				  const void *attribute)
{
	struct madring_node_info info;

	if (!node_info_decode(&info, attribute, false))
		lids_take_node_info(discovery, query, &info);
}

/* Takes the reply to a query: keeps its attribute, asks again, or notes a problem. */
static void take_reply(struct discovery *discovery, struct query *query, const void *mad,
		       size_t length)
{
	const void *attribute = (const uint8_t *)mad + MADRING_SMP_DATA;
	struct madring_mad_hdr header = { 0 };
	struct port *port;
	const char *wrong;
	uint16_t status;

	memcpy(&header, mad, length < sizeof(header) ? length : sizeof(header));
	wrong = reply_check(query, &header, length);
	if (wrong) {
		if (!ask_again(discovery, query, true))
			note_problem(discovery, query, MADRING_PROBLEM_MALFORMED)->public.reason =
				wrong;
		return;
	}
	status = be16toh(header.status) & 0x7fff;
	/*
	 * Few devices have ExtendedPortInfo, and a node without it is complete. So is one that
	 * refuses what it has answered before without the extended speeds.
	 */
	if (status && (query->attribute == MADRING_ATTR_EXTENDED_PORT_INFO || asks_speeds2(query)))
		return;
	if (status || (query->back && !cable_returned(query, mad, length))) {
		if (!ask_again(discovery, query, false))
			note_problem(discovery, query, MADRING_PROBLEM_STATUS)->public.status =
				status;
		return;
	}
	lids_take_reply(discovery, query);
	switch (query->attribute) {
	case MADRING_ATTR_NODE_INFO:
		if (query->node)
			take_node_info_by_lid(discovery, query, attribute);
		else
			take_node_info(discovery, query, attribute);
		break;
	case MADRING_ATTR_NODE_DESCRIPTION:
		madring_description_decode(query->problem ? query->problem->description
							  : query->node->description,
					   attribute);
		break;
	case MADRING_ATTR_SWITCH_INFO:
		take_switch_info(query->node, attribute);
		break;
	case MADRING_ATTR_PORT_INFO:
		take_port_info(discovery, query, attribute);
		if (query->decides_lid && lids_take_port_info(discovery, query))
			try_lid(discovery, query);
		break;
	case MADRING_ATTR_EXTENDED_PORT_INFO:
		port = &query->node->port[query->modifier];
		port->public.fdr10 = extended_port_info_fdr10(attribute);
		port->public.fdr10_supported = extended_port_info_fdr10_supported(attribute);
		break;
	}
}

/* Tells of the problems that are new. */
static void tell_problems(struct discovery *discovery)
{
	struct problems *problems = &discovery->problems;

	if (!discovery->problem_seen)
		return;
	while (discovery->problems_told < problems->count) {
		struct problem *problem = problems->list[discovery->problems_told++];

		discovery->problem_seen(discovery->seen_context, problem);
	}
}

void discovery_reply(struct discovery *discovery, struct query *query, const void *mad,
		     size_t length)
{
	take_reply(discovery, query, mad, length);
	tell_problems(discovery);
	discovery_end_query(discovery, query);
}

void discovery_no_reply(struct discovery *discovery, struct query *query, int error)
{
	/* Whoever runs the sweep reports once why all requests in flight ended. */
	if (error == -ECANCELED || error == -ENODEV) {
		discovery->dropped++;
		if (query->node)
			query->node->is_partial = true;
	} else {
		discovery->cables.lost += query->back != 0;
		if (!ask_again(discovery, query, true))
			note_problem(discovery, query, MADRING_PROBLEM_NO_REPLY)->public.error =
				error;
		tell_problems(discovery);
	}
	discovery_end_query(discovery, query);
}

/* Takes the NodeInfo of a query from the earlier fabric. */
static void recall_node_info(struct discovery *discovery, const struct query *query)
{
	const struct port *far = earlier_far_end(query);
	const struct madring_node *node = &far->node->public;
	const struct madring_node_info info = {
		.type = (uint8_t)node->type,
		.port_count = node->port_count,
		.local_port = far->public.number,
		.device_id = node->device_id,
		.revision = node->revision,
		.vendor_id = node->vendor_id,
		.system_guid = node->system_guid,
		.node_guid = node->guid,
		.port_guid = far->public.guid,
	};

	if (take_node(discovery, query, &info))
		query->via->port[query->exit].is_link_recalled = true;
}

/* Gives a port what PortInfo has told of it in the earlier fabric. */
static void copy_port_info(struct port *port, const struct port *before)
{
	const struct madring_node_port now = port->public;

	port->info = before->info;
	port->public = before->public;
	port->public.node = now.node;
	port->public.peer = now.peer;
	port->public.guid = now.guid;
	port->public.found = now.found;
	port->public.known = now.known;
	port->public.fdr10 = now.fdr10;
	port->public.fdr10_supported = now.fdr10_supported;
}

static void recall_port_info(struct discovery *discovery, const struct query *query)
{
	struct port *port = port_of(query);
	const struct port *before = &query->node->earlier->port[port->public.number];

	copy_port_info(port, before);
	port->is_recalled = true;
	/* The earlier sweep has seen to it. */
	port->asked_speeds2 = true;
	take_port(discovery, query);
}

static void recall_switch_info(struct node *node)
{
	node->switch_info = node->earlier->switch_info;
	node->has_switch_info = true;
	node->public.enhanced_port0 = node->earlier->public.enhanced_port0;
}

void discovery_recall(struct discovery *discovery, struct query *query)
{
	struct node *node = query->node;

	discovery->waiting--;
	discovery->earlier.recalled++;
	query->back = 0;
	switch (query->attribute) {
	case MADRING_ATTR_NODE_INFO:
		recall_node_info(discovery, query);
		break;
	case MADRING_ATTR_NODE_DESCRIPTION:
		memcpy(node->description, node->earlier->description, sizeof(node->description));
		break;
	case MADRING_ATTR_SWITCH_INFO:
		recall_switch_info(node);
		break;
	case MADRING_ATTR_PORT_INFO:
		recall_port_info(discovery, query);
		break;
	case MADRING_ATTR_EXTENDED_PORT_INFO:
		node->port[query->modifier].public.fdr10 =
			node->earlier->port[query->modifier].public.fdr10;
		node->port[query->modifier].public.fdr10_supported =
			node->earlier->port[query->modifier].public.fdr10_supported;
		break;
	}
	discovery_end_query(discovery, query);
}

/* Asks who is at the other end of a link, if that is recalled. */
static void prove_link(struct discovery *discovery, struct port *from)
{
	if (!from->is_link_recalled)
		return;
	from->is_link_recalled = false;
	discovery_ask(discovery, &(struct query){ .via = from->node,
						  .exit = from->public.number,
						  .attribute = MADRING_ATTR_NODE_INFO,
						  .proves_way = true });
}

/* Proves each recalled link that a query went over. */
static void prove_ways(struct discovery *discovery)
{
	struct madring_fabric *fabric = discovery->fabric;

	for (size_t i = 0; i < fabric->node_count; i++) {
		struct node *node = fabric->nodes[i];

		for (unsigned int p = 0; p <= node->public.port_count; p++) {
			if (!node->port[p].was_crossed)
				continue;
			prove_link(discovery, &node->port[p]);
			for (struct port *up = node->found_by; up; up = up->node->found_by)
				prove_link(discovery, up);
		}
	}
}

static void settle_port(struct discovery *discovery, struct port *port)
{
	const char *wrong;

	if (!port->reaches)
		return;
	wrong = cable_settle(port);
	if (wrong)
		note_conflict(discovery,
			      &(struct query){ .via = port->node,
					       .exit = port->public.number,
					       .attribute = MADRING_ATTR_NODE_INFO },
			      port->reaches->node, wrong);
}

bool discovery_settle(struct discovery *discovery)
{
	struct madring_fabric *fabric = discovery->fabric;

	if (discovery->earlier.fabric && !discovery->earlier.has_proved) {
		discovery->earlier.has_proved = true;
		prove_ways(discovery);
		if (discovery->waiting)
			return false;
	}
	for (size_t i = 0; i < fabric->node_count; i++) {
		struct node *node = fabric->nodes[i];

		for (unsigned int p = 1; p <= node->public.port_count; p++)
			settle_port(discovery, &node->port[p]);
	}
	tell_problems(discovery);
	return true;
}
