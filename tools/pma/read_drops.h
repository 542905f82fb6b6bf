/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what switches drop (drops.h) through a ring, beside the sweep, by an agent of its own. */
#ifndef PMA_READ_DROPS_H
#define PMA_READ_DROPS_H

#include <stdint.h>

#include "drops.h"

struct drops_job;
struct local;
struct madring_agent;
struct progress;
struct tuning;

/*
 * A switch that does not reply is given up sooner than for SMPs, because the program waits for the
 * last of these replies when the sweep has ended.
 */
#define DROPS_RETRIES	       5
#define DROPS_FIRST_TIMEOUT_MS 50
#define DROPS_MIN_TIMEOUT_MS   10
#define DROPS_MAX_TIMEOUT_MS   250

/*
 * Registers for performance management. Returns 0; or, without a message, an error of
 * madring_agent_open(), because a sweep goes on without.
 */
int drops_agent_open(const struct local *local, const struct tuning *tuning,
		     struct madring_agent **agent);

/*
 * Begins to read the switches that a discovery finds, into @drops, which was started, until
 * @deadline_ns at most. Returns the job, for drops_job_end(), or NULL with drops.error.
 */
struct drops_job *drops_job_start(struct drops *drops, const struct local *local,
				  struct madring_agent *agent, uint64_t deadline_ns);

/*
 * Takes a port of the discovery, whose PortInfo is known: see madring_sweep_config.on_port. @job is
 * the struct drops_job.
 */
void drops_job_see(void *job, const struct madring_node_port *port);

/* Returns whether no request waits or is in flight. */
bool drops_job_is_idle(const struct drops_job *job);

/* Reads the switches once more, unless the discovery was @stopped early. */
void drops_job_finish(struct drops_job *job, bool stopped, struct progress *progress);

/* Ends the job, which may be NULL. */
void drops_job_end(struct drops_job *job);

#endif
