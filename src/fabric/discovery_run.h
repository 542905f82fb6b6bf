/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries a discovery's queries out by a batch, with as many in flight as the ring allows. */
#ifndef FABRIC_DISCOVERY_RUN_H
#define FABRIC_DISCOVERY_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <madring.h>

#include "public.h"
#include "discovery.h"

/* The agents with which a discovery runs, and how. */
struct discovery_means {
	struct madring_agent *agent;	 /* of directed-route SMPs */
	struct madring_agent *lid_agent; /* of SMPs by LID; NULL: there are none */
	uint64_t local_guid;		 /* of the local node, for .config.get_mkey; 0: not known */
	/* All but the callbacks of the discovery itself, and .max_nodes and .lid_routed. */
	struct madring_sweep_config config;
	struct madring_discovery *sweep; /* for .config.on_done */
};

struct discovery_run;

/*
 * Starts to run @discovery, which was started. @means is copied. Returns 0, or an error of
 * madring_batch_start().
 */
int discovery_run_start(struct discovery *discovery, const struct discovery_means *means,
			struct discovery_run **run);

/* Runs the ring as madring_sweep_run(). */
int discovery_run_on(struct discovery_run *run);

void discovery_run_cancel(struct discovery_run *run);
void discovery_run_get_state(const struct discovery_run *run, struct madring_sweep_state *state);

/*
 * Ends the run, and joins the ports of the discovery by cables, unless that was done. Fills @state.
 * Returns 0; or -EBUSY, which changes nothing, if its batch runs or calls back.
 */
int discovery_run_end(struct discovery_run *run, struct madring_sweep_state *state);

/*
 * Runs a discovery from start to end, whatever signals arrive. Returns 0, or the -errno that ended
 * it early, such as -ENODEV.
 */
int discovery_run(struct discovery *discovery, const struct discovery_means *means);

#endif
