/* SPDX-License-Identifier: BSD-2-Clause */
#include "discover.h"

#include <errno.h>

#include "clock.h"
#include "interrupt.h"
#include "local.h"
#include "memory.h"
#include "mkeys.h"
#include "progress.h"

#define MADRING_CLASS_SMP	   0x01
#define MADRING_CLASS_SMP_DIRECTED 0x81
#define NS_PER_MS		   1000000u

static bool get_mkey(void *user, const struct madring_sweep_target *target, uint64_t *mkey)
{
	const struct discover *discover = user;

	if (target->attempt)
		return mkeys_search(discover->mkeys, target->attempt - 1, mkey);
	*mkey = target->via_guid
			? mkeys_behind_port(discover->mkeys, target->via_guid, target->via_port)
			: mkeys_of_node(discover->mkeys, target->guid);
	return true;
}

static void on_node(void *user, const struct madring_sweep_seen *seen)
{
	const struct discover *discover = user;

	discover->on_node(discover->context, seen);
}

static void on_port(void *user, const struct madring_node_port *port)
{
	const struct discover *discover = user;

	discover->on_port(discover->context, port);
}

static void on_node_known(void *user, const struct madring_node *node)
{
	const struct discover *discover = user;

	discover->on_node_known(discover->context, node);
}

static void on_progress(void *user, const struct madring_sweep_state *state)
{
	const struct discover *discover = user;

	progress_show(discover->progress, "%zu nodes found, %zu requests answered, %zu to go",
		      state->nodes, state->answered, state->to_go);
}

static bool is_canceled(void *user)
{
	const struct discover *discover = user;

	return interrupted() || (discover->is_enough && discover->is_enough(discover->context));
}

/* Returns how long the discovery may take, rounded up. */
static int64_t deadline_ms(uint64_t deadline_ns)
{
	uint64_t now = clock_ns();

	if (!deadline_ns)
		return 0;
	return deadline_ns > now ? (int64_t)((deadline_ns - now - 1) / NS_PER_MS + 1) : 1;
}

int discover(const struct discover *discover, struct madring_fabric **fabric)
{
	struct madring_agent *agent;
	const struct madring_sweep_config config = {
		.user = (void *)discover,
		.on_node = discover->on_node ? on_node : NULL,
		.on_port = discover->on_port ? on_port : NULL,
		.on_node_known = discover->on_node_known ? on_node_known : NULL,
		.on_progress = discover->progress ? on_progress : NULL,
		.is_canceled = is_canceled,
		.get_mkey = discover->mkeys ? get_mkey : NULL,
		.m_key = discover->mkey,
		.deadline_ms = deadline_ms(discover->deadline_ns),
		.max_nodes = (uint32_t)discover->max_nodes,
		.lid_routed = discover->lid_routed,
		.keep_retries = discover->keeps_retries,
	};
	int error = local_smp_agent(discover->local, MADRING_CLASS_SMP_DIRECTED, &agent);

	*fabric = NULL;
	if (!error && discover->lid_routed)
		error = local_smp_agent(discover->local, MADRING_CLASS_SMP, &agent);
	if (error)
		return error;
	error = madring_sweep(discover->local->subnet, &config, fabric);
	if (error == -ENOMEM)
		memory_end();
	return error;
}

const char *discover_problem_text(const struct madring_problem *problem,
				  char text[MADRING_PROBLEM_TEXT_BYTES])
{
	if (problem->kind != MADRING_PROBLEM_LIMIT)
		return madring_problem_text(problem, text);
	snprintf(
		text, MADRING_PROBLEM_TEXT_BYTES,
		"%s, left out %zu times: there are more nodes than --max-nodes, or more ports than "
		"any subnet has%s",
		problem->attribute_name, problem->left_out,
		problem->via && !problem->exit ? ", and most of them are behind this node" : "");
	return text;
}

void discover_print_problems(FILE *out, const struct madring_fabric *fabric)
{
	char text[MADRING_PROBLEM_TEXT_BYTES], path[MADRING_ROUTE_TEXT_BYTES];
	const struct madring_problem *problem;

	for (size_t i = 0; (problem = madring_fabric_problem(fabric, i)); i++)
		fprintf(out, "%s: DR path %s: %s\n", program_invocation_short_name,
			madring_route_text(problem->path, problem->hops, path),
			discover_problem_text(problem, text));
}
