/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>

#include "common/capture.h"
#include "common/clock.h"
#include "common/discover.h"
#include "common/interrupt.h"
#include "common/local.h"
#include "common/memory.h"
#include "common/progress.h"
#include "pma/read_drops.h"
#include "show.h"
#include "sweep.h"

#define TRANSACTIONS 16384u

static int open_agents(const struct local *local, const struct options *options)
{
	struct madring_agent *agent;

	if (local_smp_agent(local, MADRING_CLASS_SMP_DIRECTED, &agent))
		return -1;
	return options->lid_routed ? local_smp_agent(local, MADRING_CLASS_SMP, &agent) : 0;
}

static int open_all(struct local *local, const struct options *options)
{
	uint32_t window = options->tuning.window;
	const struct local_config config = {
		.transactions = window > TRANSACTIONS ? window : TRANSACTIONS,
		.in_flight = options->tuning.pin_window ? window : 0,
		.ca_name = options->ca_name,
		.port = options->port,
		.pkey_index = options->pkey_index,
		.tuning = options->tuning,
	};

	if (local_open(local, &config))
		return -1;
	if (!open_agents(local, options) && !capture_start(local->ring, options->capture))
		return 0;
	local_close(local);
	return -1;
}

/* Begins to count drops, if the options ask for that and this host can. */
static struct drops_job *start_drops(struct result *result, const struct local *local)
{
	const struct options *options = result->options;
	struct madring_agent *agent;

	if (!options->count_drops)
		return NULL;
	result->drops.error = drops_agent_open(local, &options->tuning, &agent);
	if (result->drops.error == -ENOMEM)
		memory_end();
	if (result->drops.error)
		return NULL;
	return drops_job_start(&result->drops, local, agent, clock_ns() + options->deadline_ns);
}

/* Discovers the fabric, and counts drops beside it. */
static struct madring_fabric *discover_beside(struct result *result, const struct local *local,
					      struct progress *progress)
{
	const struct options *options = result->options;
	struct drops_job *drops = start_drops(result, local);
	uint64_t start = clock_ns();
	const struct discover means = {
		.local = local,
		.keeps_retries = options->tuning.retries,
		.lid_routed = options->lid_routed,
		.mkey = options->mkey,
		.mkeys = options->mkeys,
		.max_nodes = options->max_nodes,
		.deadline_ns = start + options->deadline_ns,
		.progress = progress,
		.on_node = options->show ? show_seen : NULL,
		.on_port = drops ? drops_job_see : NULL,
		.context = drops,
	};
	struct madring_fabric *fabric;

	result->error = discover(&means, &fabric);
	result->elapsed_ns = clock_ns() - start;
	if (fabric)
		madring_fabric_get_sweep_state(fabric, &result->state);
	if (drops && fabric)
		drops_job_finish(drops,
				 result->error || result->state.canceled ||
					 result->state.deadline_reached,
				 progress);
	madring_get_stats(local->ring, &result->stats);
	drops_job_end(drops);
	return fabric;
}

struct madring_fabric *sweep_run(struct result *result)
{
	const struct options *options = result->options;
	struct madring_fabric *fabric;
	struct progress progress;
	struct local local;

	if (open_all(&local, options))
		return NULL;
	progress_start(&progress, !options->show);
	interrupt_watch(local.ring);
	fabric = discover_beside(result, &local, &progress);
	interrupt_unwatch();
	progress_end(&progress);
	result->fabric = fabric;
	result->driver = madring_driver_text(local.ring);
	result->capture_failed = capture_end(local.ring, options->capture);
	local_close(&local);
	result->finished = time(NULL);
	/* A signal that arrived after the last reply has ended nothing. */
	result->interrupted = interrupted() && result->state.canceled;
	return fabric;
}
