/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what switches drop (drops.h) through a ring, beside the sweep, by an agent of its own. */
#ifndef SWEEP_READ_DROPS_H
#define SWEEP_READ_DROPS_H

#include <stdint.h>

#include "drops.h"

struct discovery;
struct discovery_tuning;
struct drops_job;
struct local;
struct progress;

/*
 * Begins to read the switches that @discovery, which was started, finds. Fills @drops, which was
 * started, too. Returns the job, for drops_job_end(); or NULL, with drops->error set, when this
 * host cannot ask for counters. A sweep goes on without.
 */
struct drops_job *drops_job_start(struct drops *drops, struct discovery *discovery,
				  const struct local *local, const struct discovery_tuning *tuning);

/* Reads the switches once more, if the discovery has ended by itself, until @deadline_ns at
   most. */
void drops_job_finish(struct drops_job *job, uint64_t deadline_ns, struct progress *progress);

/* Ends the job, which may be NULL. */
void drops_job_end(struct drops_job *job);

#endif
