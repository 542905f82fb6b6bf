/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fabric discovered by madring as madring-sweep does it, over and over: the same discovery, and
 * ring, port and agent opened and closed each time, but nothing printed.
 */
#include "discover.h"

#include <errno.h>
#include <stdlib.h>

#include "common/local.h"
#include "common/progress.h"
#include "fabric/discovery_run.h"

/* madring-sweep has as many. */
#define TRANSACTIONS 16384u

static void open_all(const struct measure *measure, struct local *local,
		     struct madring_agent **agent)
{
	struct discovery_tuning tuning = { 0 };

	if (!measure->own_windows) {
		tuning.window = measure->in_flight;
		tuning.pin_window = true;
	}
	if (local_open_few(local, TRANSACTIONS, tuning.window, NULL, 0) ||
	    discovery_agent_open(local, &tuning, agent))
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

static void discover_fabric(struct measure *measure, struct discovered *found)
{
	struct fabric *fabric = fabric_new();
	struct discovery discovery;
	struct madring_agent *agent;
	struct madring_ring_stats stats;
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
	return discover_measure(&measure, discover_fabric);
}
