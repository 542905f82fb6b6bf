/* SPDX-License-Identifier: BSD-2-Clause */
#include "common/capture.h"
#include "common/clock.h"
#include "common/interrupt.h"
#include "common/local.h"
#include "common/progress.h"
#include "fabric/discovery_run.h"
#include "read_drops.h"
#include "sweep.h"

#define TRANSACTIONS 16384u

static int open_agents(const struct local *local, const struct options *options,
		       struct discovery_means *means)
{
	if (discovery_agent_open(local, &options->tuning, &means->agent))
		return -1;
	if (!options->lid_routed)
		return 0;
	return discovery_lid_agent_open(local, &options->tuning, &means->lid_agent);
}

static int open_all(struct local *local, const struct options *options,
		    struct discovery_means *means)
{
	uint32_t window = options->tuning.window;

	if (local_open_few(local, window > TRANSACTIONS ? window : TRANSACTIONS,
			   options->tuning.pin_window ? window : 0, options->ca_name,
			   options->port))
		return -1;
	if (!local_set_pkey_index(local, options->pkey_index) &&
	    !open_agents(local, options, means) && !capture_start(local->ring, options->capture))
		return 0;
	local_close(local);
	return -1;
}

/* Begins to count drops, if the options ask for that and this host can. */
static struct drops_job *start_drops(struct discovery *discovery, struct result *result,
				     const struct local *local)
{
	const struct options *options = result->options;
	struct madring_agent *agent;

	if (!options->count_drops)
		return NULL;
	result->drops.error = drops_agent_open(local, &options->tuning, &agent);
	return result->drops.error ? NULL
				   : drops_job_start(&result->drops, discovery, local, agent);
}

int sweep_run(struct discovery *discovery, struct result *result)
{
	const struct options *options = result->options;
	struct progress progress;
	struct discovery_means means = {
		.keeps_retries = options->tuning.retries,
		.mkey = options->mkey,
		.mkeys = options->mkeys,
		.progress = &progress,
	};
	struct drops_job *drops;
	struct local local;
	uint64_t start;

	if (open_all(&local, options, &means))
		return -1;
	means.ring = local.ring;
	if (means.mkeys)
		means.local_guid = local_node_guid(&local);
	progress_start(&progress, !options->show);
	interrupt_watch(local.ring);
	drops = start_drops(discovery, result, &local);
	start = clock_ns();
	means.deadline_ns = start + options->deadline_ns;
	result->error = discovery_run(discovery, &means);
	result->elapsed_ns = clock_ns() - start;
	if (drops)
		drops_job_finish(drops, means.deadline_ns, &progress);
	interrupt_unwatch();
	progress_end(&progress);
	madring_stats(local.ring, &result->stats);
	result->driver = madring_driver_text(local.ring);
	drops_job_end(drops);
	result->capture_failed = capture_end(local.ring, options->capture);
	local_close(&local);
	result->finished = time(NULL);
	/* A signal that arrived after the last reply has ended nothing. */
	result->interrupted = interrupted() && discovery->stopped;
	return 0;
}
