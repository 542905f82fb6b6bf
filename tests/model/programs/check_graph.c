/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_graph.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <infiniband/mad.h>

#include "fabric/discovery.h"
#include "world/model_fail.h"
#include "world/truth.h"

typedef void node_check(const struct discovery *discovery, const struct truth *truth,
			const struct node *node, const struct truth_node *real);

static void for_each_node(const struct discovery *discovery, const struct truth *truth,
			  node_check *check)
{
	for (size_t i = 0; i < discovery->fabric->node_count; i++) {
		const struct node *node = discovery->fabric->nodes[i];
		const struct truth_node *real = truth_find(truth, node->public.guid);

		expect(real, "a node with GUID 0x%" PRIx64 " was found, and there is none",
		       node->public.guid);
		check(discovery, truth, node, real);
	}
}

static void check_cable(const struct node *node, const struct truth_node *real, unsigned int number)
{
	const struct truth_port *port = &real->port[number];
	const struct port *peer = node->port[number].peer;

	if (!peer)
		return;
	expect(port->peer && port->peer->guid == peer->node->public.guid &&
		       port->peer_port == peer->public.number,
	       "%s, port %u: a cable to \"%s\", port %u, was found, and there is none",
	       real->description, number, peer->node->description, peer->public.number);
}

static void node_is_real(const struct discovery *discovery, const struct truth *truth,
			 const struct node *node, const struct truth_node *real)
{
	(void)discovery;
	(void)truth;
	expect((int)node->public.type == real->type &&
		       node->public.port_count == real->port_count &&
		       node->public.system_guid == real->system_guid,
	       "%s: its NodeInfo is another", real->description);
	expect(!node->description[0] || !strcmp(node->description, real->description),
	       "%s was found as \"%s\"", real->description, node->description);
	for (unsigned int number = 0; number <= real->port_count; number++)
		check_cable(node, real, number);
}

void check_graph_is_real(const struct discovery *discovery, const struct truth *truth)
{
	for_each_node(discovery, truth, node_is_real);
}

/* Returns whether a problem tells of an attribute at the end of a route. */
static bool is_problem(const struct discovery *discovery, const struct route *route,
		       uint16_t attribute, uint32_t modifier)
{
	for (size_t i = 0; i < discovery->problems.count; i++) {
		const struct problem *problem = discovery->problems.list[i];
		struct route at;

		problem_route(problem, &at);
		if (problem->public.attribute == attribute &&
		    problem->public.modifier == modifier && !route_compare(&at, route))
			return true;
	}
	return false;
}

/*
 * Returns whether a problem tells of an attribute of a node. The problem has the route by which the
 * node was found, and the node's own may be another by now.
 */
static bool has_problem(const struct discovery *discovery, const struct node *node,
			uint16_t attribute, uint32_t modifier)
{
	for (size_t i = 0; i < discovery->problems.count; i++) {
		const struct problem *problem = discovery->problems.list[i];
		const struct node *at = problem->via;

		if (problem->public.attribute != attribute || problem->public.modifier != modifier)
			continue;
		if (problem->public.exit)
			at = at->port[problem->public.exit].reaches
				     ? at->port[problem->public.exit].reaches->node
				     : NULL;
		else if (!at)
			at = discovery->fabric->root;
		if (at == node)
			return true;
	}
	return false;
}

static bool is_lost_beyond(const struct discovery *discovery, const struct node *node,
			   unsigned int number)
{
	for (size_t i = 0; i < discovery->problems.count; i++) {
		const struct problem *problem = discovery->problems.list[i];

		if (problem->via == node && problem->public.exit == number &&
		    problem->public.attribute == IB_ATTR_NODE_INFO)
			return true;
	}
	return false;
}

static void port_is_explained(const struct discovery *discovery, const struct node *node,
			      const struct truth_node *real, unsigned int number)
{
	const struct port *port = &node->port[number];
	const struct truth_port *is = &real->port[number];

	if (!port->public.known) {
		expect(has_problem(discovery, node, IB_ATTR_PORT_INFO, number),
		       "%s, port %u: its PortInfo is missing, and nothing tells why",
		       real->description, number);
		return;
	}
	expect(port->info.lid == is->lid && port->public.state == is->state &&
		       port->public.physical_state == is->phys_state &&
		       port->public.width == is->width && port->public.speed == is->speed &&
		       (port->info.speed_ext | port->info.speed_ext2) == is->speed_ext,
	       "%s, port %u: its PortInfo is another", real->description, number);
	expect(port->public.guid == is->guid || real->type == MADRING_NODE_SWITCH,
	       "%s, port %u: its GUID is another", real->description, number);
}

static void link_is_explained(const struct discovery *discovery, const struct node *node,
			      const struct truth_node *real, unsigned int number)
{
	const struct port *port = &node->port[number];

	if (!port->public.known || !real->port[number].link_is_up || port->peer)
		return;
	expect(is_lost_beyond(discovery, node, number),
	       "%s, port %u: what is behind it is missing, and nothing tells why",
	       real->description, number);
}

static void node_is_explained(const struct discovery *discovery, const struct truth *truth,
			      const struct node *node, const struct truth_node *real)
{
	bool is_switch = real->type == MADRING_NODE_SWITCH;

	expect(node->description[0] || has_problem(discovery, node, IB_ATTR_NODE_DESC, 0),
	       "%s: its description is missing, and nothing tells why", real->description);
	expect(!is_switch || node->public.enhanced_port0 == real->enhanced_port0 ||
		       has_problem(discovery, node, IB_ATTR_SWITCH_INFO, 0),
	       "%s: its SwitchInfo is missing, and nothing tells why", real->description);
	for (unsigned int number = 0; number <= real->port_count; number++) {
		if (is_switch || node->port[number].public.found)
			port_is_explained(discovery, node, real, number);
		if (truth_leads_on(truth, real, number))
			link_is_explained(discovery, node, real, number);
	}
}

static void root_is_explained(const struct discovery *discovery, const struct truth *truth)
{
	const struct route none = { 0 };

	if (discovery->fabric->root)
		expect(discovery->fabric->root->public.guid == truth->root->guid &&
			       discovery->fabric->root_port == truth->root_port,
		       "the local node is another");
	else
		expect(is_problem(discovery, &none, IB_ATTR_NODE_INFO, 0),
		       "the local node is missing, and nothing tells why");
}

void check_graph_is_explained(const struct discovery *discovery, const struct truth *truth)
{
	check_graph_is_real(discovery, truth);
	root_is_explained(discovery, truth);
	for_each_node(discovery, truth, node_is_explained);
}

static size_t count_silent(const struct discovery *discovery, const struct truth *truth)
{
	size_t count = 0;

	for (size_t i = 0; i < discovery->problems.count; i++) {
		const struct problem *problem = discovery->problems.list[i];
		const struct truth_node *via =
			problem->via ? truth_find(truth, problem->via->public.guid) : NULL;
		char text[MADRING_PROBLEM_TEXT_BYTES];

		expect(via && problem->public.exit &&
			       problem->public.kind == MADRING_PROBLEM_NO_REPLY &&
			       problem->public.error == -ETIMEDOUT &&
			       problem->public.attribute == IB_ATTR_NODE_INFO &&
			       via->port[problem->public.exit].link_is_up &&
			       !via->port[problem->public.exit].peer->answers,
		       "a problem where there is none: %s",
		       madring_problem_text(&problem->public, text));
		count++;
	}
	return count;
}

static void node_is_whole(const struct discovery *discovery, const struct truth *truth,
			  const struct node *node, const struct truth_node *real)
{
	(void)discovery;
	for (unsigned int number = 1; number <= real->port_count; number++) {
		const struct truth_port *port = &real->port[number];
		bool is_joined = port->link_is_up && port->peer->is_reachable &&
				 (truth_leads_on(truth, real, number) ||
				  truth_leads_on(truth, port->peer, port->peer_port));

		expect(is_joined == (node->port[number].peer != NULL), "%s, port %u: a cable is %s",
		       real->description, number, is_joined ? "missing" : "one too many");
	}
}

void check_graph_is_whole(const struct discovery *discovery, const struct truth *truth)
{
	size_t silent = count_silent(discovery, truth);

	check_graph_is_explained(discovery, truth);
	for_each_node(discovery, truth, node_is_whole);
	expect(discovery->fabric->node_count == truth->reachable_count,
	       "%zu nodes were found, and there are %zu", discovery->fabric->node_count,
	       truth->reachable_count);
	expect(silent == truth->silent_links, "%zu silent links were told of, and there are %zu",
	       silent, truth->silent_links);
	expect(discovery_complete(discovery) == !silent, "a whole sweep is said to be partial");
}
