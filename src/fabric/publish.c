/* SPDX-License-Identifier: BSD-2-Clause */
/* The public view of nodes, ports and problems. */

#include <string.h>

#include <madring/names.h>

#include "graph.h"
#include "node_attributes.h"
#include "problem.h"

/* Returns the kind that programs see. */
static enum madring_problem_kind public_kind(const struct problem *problem)
{
	switch (problem->kind) {
	case PROBLEM_NO_REPLY:
		return MADRING_PROBLEM_NO_REPLY;
	case PROBLEM_STATUS:
		return MADRING_PROBLEM_STATUS;
	case PROBLEM_MALFORMED:
		return MADRING_PROBLEM_MALFORMED;
	case PROBLEM_LIMIT:
		return problem->left_out ? MADRING_PROBLEM_LIMIT : MADRING_PROBLEM_TOO_FAR;
	case PROBLEM_CONFLICT:
		break;
	}
	return MADRING_PROBLEM_CONFLICT;
}

void problem_publish(struct problem *problem)
{
	const char *name = madring_attribute_name(MADRING_CLASS_SMP, problem->attribute);
	struct route route;

	problem_route(problem, &route);
	problem->public = (struct madring_problem){
		.kind = public_kind(problem),
		.hops = route.hops,
		.via = problem->via ? &problem->via->public : NULL,
		.exit = problem->exit,
		.attribute = problem->attribute,
		.modifier = problem->modifier,
		.attribute_name = name ? name : "unknown attribute",
		.error = problem->error,
		.status = problem->status,
		.reason = problem->text,
		.left_out = problem->left_out,
		.node = problem->node ? &problem->node->public : NULL,
		.description = problem->description,
	};
	memcpy(problem->public.path, route.port, sizeof(route.port));
}

void node_publish(struct node *node)
{
	const struct node_info *info = &node->info;

	node->public = (struct madring_node){
		.guid = info->node_guid,
		.system_guid = info->system_guid,
		.port_guid = info->port_guid,
		.type = (enum madring_node_type)info->type,
		.vendor_id = info->vendor_id,
		.revision = info->revision,
		.device_id = info->device_id,
		.port_count = info->port_count,
		.entry = node->entry,
		.enhanced_port0 = node->enhanced_port0,
		.hops = node->route.hops,
		.description = node->description,
		.m_key = node->mkey,
	};
	memcpy(node->public.path, node->route.port, sizeof(node->public.path));
}

void port_publish(struct port *port)
{
	const struct port_info *info = &port->info;

	port->public = (struct madring_node_port){
		.node = &port->node->public,
		.peer = port->peer ? &port->peer->public : NULL,
		.guid = port->guid,
		.number = port->number,
		.found = port->found,
		.known = port->known,
		.lmc = info->lmc,
		.lid = port_lid(port),
		.state = info->state,
		.physical_state = info->physical_state,
		.width = info->width,
		.speed = info->speed,
		.speed_ext = port_speed_ext(port),
		.fdr10 = port->fdr10,
		.width_supported = info->width_supported,
		.speed_supported = info->speed_supported,
		.speed_ext_supported = port_speed_ext_supported(port),
		.fdr10_supported = port->fdr10_supported,
		.vl_cap = info->vl_cap,
		.capability_mask = info->capability_mask,
		.capability_mask2 = info->capability_mask2,
	};
}

void fabric_publish(struct madring_fabric *fabric)
{
	for (size_t i = 0; i < fabric->node_count; i++) {
		struct node *node = fabric->nodes[i];

		node->place = i;
		node_publish(node);
		for (unsigned int p = 0; p <= node->info.port_count; p++)
			port_publish(&node->port[p]);
	}
	for (size_t i = 0; i < fabric->problems.count; i++)
		problem_publish(fabric->problems.list[i]);
}
