/* SPDX-License-Identifier: BSD-2-Clause */
#include "choice.h"
#include "common/complain.h"

static bool look_closer(void *context, const struct port_counters *all)
{
	const struct choice *choice = context;

	return thresholds_any_exceeded(&choice->options->thresholds, all);
}

static bool is_wanted(void *context, const struct madring_node *node)
{
	const struct choice *choice = context;
	unsigned int types = choice->options->node_types;

	if (!shard_has(&choice->options->shard, node->guid))
		return false;
	if (choice->only)
		return node == choice->only;
	return !types || types & 1u << node->type;
}

static const struct madring_node *find_by_guid(const struct madring_fabric *fabric, uint64_t guid)
{
	const struct madring_node_port *port = madring_fabric_port_by_guid(fabric, guid);

	return port ? port->node : NULL;
}

static int find_node(struct choice *choice, const struct madring_fabric *fabric)
{
	const struct options *options = choice->options;

	if (options->port_guid)
		choice->only = find_by_guid(fabric, options->guid);
	else if (options->dr_path)
		choice->only = madring_fabric_node_by_route(fabric, options->dr_path);
	else
		return 0;
	if (choice->only)
		return 0;
	complain("%s: there is no such node",
		 options->port_guid ? options->port_guid : options->dr_path);
	return -1;
}

uint32_t choice_attributes(const struct options *options)
{
	uint32_t base = PMA_SET_BASE | (options->details ? PMA_SET_DETAILS : 0);

	if (options->format == FORMAT_DUMP && !is_monitoring(options))
		return options->attributes;
	return base | options->attributes;
}

/*
 * Returns whether the ports of a node are asked only if their sum has errors. Prometheus gets all
 * ports, and --watch compares all, so neither does with sums.
 */
static bool looks_closer(const struct options *options)
{
	return options->format == FORMAT_ERRORS && !options->watch_ns && !is_monitoring(options);
}

int choice_plan(struct plan *plan, struct choice *choice, const struct options *options,
		const struct madring_fabric *fabric)
{
	*choice = (struct choice){ .options = options };
	*plan = (struct plan){
		.attributes = choice_attributes(options),
		.look_closer = looks_closer(options) ? look_closer : NULL,
		.wanted = is_wanted,
		.context = choice,
		.clear_errors = options->clear & CLEAR_ERRORS,
		.clear_counts = options->clear & CLEAR_COUNTS,
	};
	return find_node(choice, fabric);
}
