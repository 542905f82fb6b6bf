/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "common/capture.h"
#include "common/clock.h"
#include "common/progress.h"
#include "fabric/load.h"
#include "fabric/order.h"
#include "fabric/discovery_run.h"
#include "session.h"

#define TRANSACTIONS 16384u

/* Reads the topology file before anything is opened, so that an error in it is reported first. */
static int load_topology(struct session *session, const char *path)
{
	if (!path)
		return 0;
	session->loaded = fabric_load(path);
	return session->loaded ? 0 : -EINVAL;
}

static int open_agents(struct session *session, const struct session_config *config)
{
	const struct discovery_tuning tuning = {
		.timeout_ms = config->tuning.timeout_ms,
		.retries = config->tuning.retries,
		.queue_us = config->tuning.queue_us,
		.patience_ms = config->tuning.patience_ms,
	};
	int error = local_set_pkey_index(&session->local, config->pkey_index);

	if (!error && !config->topology)
		error = discovery_agent_open(&session->local, &tuning, &session->smp);
	if (!error)
		error = collect_agent_open(&session->local, &config->tuning, &session->pma);
	return error ? error : capture_start(session->local.ring, config->capture);
}

int session_close(struct session *session, const struct session_config *config)
{
	int failed = capture_end(session->local.ring, config->capture);

	local_close(&session->local);
	fabric_free(session->loaded);
	session->loaded = NULL;
	return failed;
}

int session_open(struct session *session, const struct session_config *config)
{
	uint32_t window = config->tuning.window;
	int error;

	*session = (struct session){ 0 };
	error = load_topology(session, config->topology);
	if (!error)
		error = local_open(&session->local, window > TRANSACTIONS ? window : TRANSACTIONS,
				   config->ca_name, config->port);
	if (error) {
		fabric_free(session->loaded);
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

static int read_topology(struct session *session, struct discovery *discovery, const char *path)
{
	struct fabric *fabric = session->loaded ? session->loaded : fabric_load(path);

	session->loaded = NULL;
	discovery_known(discovery, fabric ? fabric : fabric_new());
	return fabric ? 0 : -EINVAL;
}

int session_discover(struct session *session, const struct session_config *config,
		     struct discovery *discovery, struct progress *progress)
{
	struct progress silent = { .on = false };
	uint64_t half_ns = config->deadline_ns / 2;
	struct discovery_means means = {
		.ring = session->local.ring,
		.agent = session->smp,
		.keeps_retries = config->tuning.retries,
		.mkey = config->mkey,
		.mkeys = config->mkeys,
		.local_guid = config->mkeys ? local_node_guid(&session->local) : 0,
		.deadline_ns = session->deadline_ns - half_ns,
		.progress = progress ? progress : &silent,
	};
	int error;

	if (config->topology)
		return read_topology(session, discovery, config->topology);
	discovery_start(discovery, fabric_new());
	if (config->max_nodes)
		discovery->max_nodes = config->max_nodes;
	error = discovery_run(discovery, &means);
	order_nodes(discovery->fabric);
	problems_order(&discovery->problems);
	return error;
}

void session_forget(struct discovery *discovery)
{
	discovery_end(discovery);
	fabric_free(discovery->fabric);
}
