/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fabric discovered by madring as madring-sweep does it, over and over: the same discovery, and
 * ring, port and agent opened and closed each time, but nothing printed.
 */
#include "discover.h"

#include <errno.h>
#include <stdlib.h>

#include <infiniband/mad.h>

#include "common/local.h"
#include "common/progress.h"
#include "discovery/run.h"

/* As many as madring-sweep has. */
#define TRANSACTIONS 16384u

static void open_all(const struct measure *measure, struct local *local,
		     struct madring_agent **agent)
{
	uint32_t window = measure->own_windows ? 0 : measure->in_flight;
	struct madring_agent_config config = {
		.mgmt_class = IB_SMI_DIRECT_CLASS,
		.class_version = 1,
		.window = window,
		.pin_window = window != 0,
		.retries = DISCOVERY_RETRIES,
		.max_timeout_ms = DISCOVERY_MAX_TIMEOUT_MS,
	};

	if (local_open(local, TRANSACTIONS, NULL, 0) ||
	    local_agent_open(local, &config, "directed-route SMPs", agent))
		exit(1);
}

static void carry_out(const struct measure *measure, struct discovery *discovery,
		      const struct local *local, struct madring_agent *agent)
{
	struct progress silent = { .on = false };
	struct discovery_means means = { .ring = local->ring, .agent = agent, .progress = &silent };
	int error = discovery_run(discovery, &means);

	if (error)
		measure_fail(measure, "discovery", error);
	if (!discovery_complete(discovery))
		measure_fail(measure, "discovery", ETIMEDOUT);
}

static void discover(struct measure *measure, struct discovered *found)
{
	struct fabric *fabric = fabric_new();
	struct discovery discovery;
	struct madring_agent *agent;
	struct madring_stats stats;
	struct local local;

	open_all(measure, &local, &agent);
	discovery_start(&discovery, fabric);
	carry_out(measure, &discovery, &local, agent);
	madring_stats(local.ring, &stats);
	local_close(&local);
	found->nodes = fabric->node_count;
	found->smps = stats.sent;
	measure->syscalls += stats.entries;
	discovery_end(&discovery);
	fabric_free(fabric);
}

int main(int argc, char **argv)
{
	static struct measure measure;

	measure_options(&measure, "madring", argc, argv);
	return discover_measure(&measure, discover);
}
