/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "common/capture.h"
#include "common/clock.h"
#include "common/complain.h"
#include "common/discover.h"
#include "common/memory.h"
#include "pma/read_drops.h"
#include "session.h"

#define TRANSACTIONS 16384u

static int load(const char *path, struct madring_fabric **fabric)
{
	char text[MADRING_LOAD_TEXT_BYTES];
	int error = madring_fabric_load(path, fabric, text);

	if (error == -ENOMEM)
		memory_end();
	if (error)
		complain("%s: %s", path, text);
	return error ? -EINVAL : 0;
}

/* Reads the topology file before anything is opened, so that an error in it is reported first. */
static int load_topology(struct session *session, const char *path)
{
	if (!path)
		return 0;
	return load(path, &session->loaded);
}

static int open_agents(struct session *session, const struct session_config *config)
{
	struct madring_agent *smp;
	int error = 0;

	if (!config->topology)
		error = local_smp_agent(&session->local, MADRING_CLASS_SMP_DIRECTED, &smp);
	if (!error)
		error = collect_agent_open(&session->local, &config->tuning, &session->pma);
	return error ? error : capture_start(session->local.ring, config->capture);
}

int session_close(struct session *session, const struct session_config *config)
{
	int failed = capture_end(session->local.ring, config->capture);

	local_close(&session->local);
	madring_fabric_free(session->loaded);
	session->loaded = NULL;
	return failed;
}

int session_open(struct session *session, const struct session_config *config)
{
	uint32_t window = config->tuning.window > config->outstanding_smps
				  ? config->tuning.window
				  : config->outstanding_smps;
	const struct local_config local = {
		.transactions = window > TRANSACTIONS ? window : TRANSACTIONS,
		.ca_name = config->ca_name,
		.port = config->port,
		.pkey_index = config->pkey_index,
		.tuning = { .window = config->outstanding_smps,
			    .pin_window = config->outstanding_smps,
			    .timeout_ms = config->tuning.timeout_ms,
			    .retries = config->tuning.retries,
			    .queue_us = config->tuning.queue_us,
			    .patience_ms = config->tuning.patience_ms },
	};
	int error;

	*session = (struct session){ 0 };
	error = load_topology(session, config->topology);
	if (!error)
		error = local_open(&session->local, &local);
	if (error) {
		madring_fabric_free(session->loaded);
		return error;
	}
	error = open_agents(session, config);
	if (error)
		session_close(session, config);
	return error;
}

void session_begin(struct session *session, const struct session_config *config)
{
	session->deadline_ns = config->deadline_ns ? clock_ns() + config->deadline_ns : 0;
}

static int read_topology(struct session *session, const char *path, struct madring_fabric **fabric)
{
	*fabric = session->loaded;
	session->loaded = NULL;
	return *fabric ? 0 : load(path, fabric);
}

/* Begins to read what switches drop. Returns NULL if that is not wanted, or cannot be. */
static struct drops_job *start_drops(const struct session *session,
				     const struct session_config *config)
{
	const struct tuning tuning = { .window = config->tuning.window,
				       .queue_us = config->tuning.queue_us,
				       .patience_ms = config->tuning.patience_ms };
	struct madring_agent *agent;
	int error;

	if (!session->drops)
		return NULL;
	error = drops_agent_open(&session->local, &tuning, &agent);
	if (error == -ENOMEM)
		memory_end();
	if (error)
		return NULL;
	return drops_job_start(session->drops, &session->local, agent, session->deadline_ns);
}

/* The purposes of a discovery. */
struct beside {
	struct session *session;
	struct drops_job *drops; /* NULL: none */
};

static void see_port(void *context, const struct madring_node_port *port)
{
	const struct beside *beside = context;
	uint64_t target = beside->session->target_guid;

	if (beside->drops && (!target || port->guid == target))
		drops_job_see(beside->drops, port);
}

/*
 * Returns whether the node has the port, and all of its ports were found. Those of a host are found
 * one by one, over the links that lead to them.
 */
static bool is_target(const struct madring_node *node, uint64_t guid)
{
	bool has_port = false;

	for (unsigned int p = 1; p <= node->port_count; p++) {
		const struct madring_node_port *port = madring_node_port_by_number(node, p);

		if (!port->found)
			return false;
		has_port |= port->guid == guid;
	}
	return has_port;
}

static void see_known(void *context, const struct madring_node *node)
{
	struct session *session = ((struct beside *)context)->session;

	if (session->target_guid)
		session->has_target |= is_target(node, session->target_guid);
}

/* Returns whether the target is known, and was asked for its drops for the first time. */
static bool is_enough(void *context)
{
	const struct beside *beside = context;

	return beside->session->has_target && (!beside->drops || drops_job_is_idle(beside->drops));
}

static int discover_beside(struct session *session, const struct session_config *config,
			   struct discover *means, struct madring_fabric **fabric)
{
	struct beside beside = { session, start_drops(session, config) };
	int error;

	means->on_port = see_port;
	means->on_node_known = see_known;
	means->is_enough = is_enough;
	means->context = &beside;
	error = discover(means, fabric);
	if (beside.drops && *fabric)
		drops_job_finish(
			beside.drops,
			error || !(session->has_target || session_looked_everywhere(*fabric)),
			means->progress);
	drops_job_end(beside.drops);
	return error;
}

int session_discover(struct session *session, const struct session_config *config,
		     struct madring_fabric **fabric, struct progress *progress)
{
	struct discover means = {
		.local = &session->local,
		.keeps_retries = config->tuning.retries,
		.mkey = config->mkey,
		.mkeys = config->mkeys,
		.max_nodes = config->max_nodes,
		.deadline_ns = session->deadline_ns - config->deadline_ns / 2,
		.progress = progress,
	};

	*fabric = NULL;
	if (config->topology)
		return read_topology(session, config->topology, fabric);
	return discover_beside(session, config, &means, fabric);
}

bool session_is_whole(const struct madring_fabric *fabric)
{
	return fabric && madring_fabric_is_complete(fabric);
}

bool session_reached_deadline(const struct madring_fabric *fabric)
{
	struct madring_sweep_state state = { 0 };

	if (fabric)
		madring_fabric_get_sweep_state(fabric, &state);
	return state.deadline_reached;
}

bool session_looked_everywhere(const struct madring_fabric *fabric)
{
	const struct madring_problem *problem;
	struct madring_sweep_state state;

	for (size_t i = 0; (problem = madring_fabric_problem(fabric, i)); i++)
		if (problem->kind == MADRING_PROBLEM_LIMIT)
			return false;
	madring_fabric_get_sweep_state(fabric, &state);
	return !state.canceled && !state.deadline_reached && !state.error;
}
