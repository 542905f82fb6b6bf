/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <infiniband/mad.h>

#include "common/capture.h"
#include "common/progress.h"
#include "discovery/load.h"
#include "discovery/order.h"
#include "discovery/run.h"
#include "session.h"

#define TRANSACTIONS 16384u

static int open_smp(struct session *session, const struct collect_tuning *tuning)
{
	struct madring_agent_config config = {
		.mgmt_class = IB_SMI_DIRECT_CLASS,
		.class_version = 1,
		.timeout_ms = tuning->timeout_ms,
		.retries = tuning->retries ? tuning->retries : DISCOVERY_RETRIES,
		.max_timeout_ms = DISCOVERY_MAX_TIMEOUT_MS,
	};

	return local_agent_open(&session->local, &config, "directed-route SMPs", &session->smp);
}

/* So that what is wrong with it is told before anything is opened. */
static int load(struct session *session, const char *path)
{
	if (!path)
		return 0;
	session->loaded = fabric_load(path);
	return session->loaded ? 0 : -EINVAL;
}

static int open_agents(struct session *session, const struct session_config *config)
{
	int error = open_smp(session, &config->tuning);

	if (!error)
		error = collect_agent_open(&session->local, &config->tuning, &session->pma);
	return error ? error : capture_start(session->local.ring, config->capture);
}

void session_close(struct session *session, const struct session_config *config)
{
	capture_end(session->local.ring, config->capture);
	local_close(&session->local);
	fabric_free(session->loaded);
	session->loaded = NULL;
}

int session_open(struct session *session, const struct session_config *config)
{
	uint32_t window = config->tuning.window;
	int error;

	*session = (struct session){ 0 };
	error = load(session, config->topology);
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
	struct discovery_means means = {
		.ring = session->local.ring,
		.agent = session->smp,
		.mkey = config->mkey,
		.progress = progress ? progress : &silent,
	};
	int error;

	if (config->topology)
		return read_topology(session, discovery, config->topology);
	discovery_start(discovery, fabric_new());
	error = discovery_run(discovery, &means);
	order_nodes(discovery->fabric);
	problems_order(&discovery->problems);
	return error;
}

void session_forget(struct discovery *discovery)
{
	fabric_free(discovery->fabric);
	discovery_end(discovery);
}
