/* SPDX-License-Identifier: BSD-2-Clause */
/* Carries a collection out through a ring, with as many requests in flight as it allows. */
#ifndef PERF_COLLECT_H
#define PERF_COLLECT_H

#include <madring.h>

#include "common/local.h"
#include "plan.h"

struct progress;

/* The settings by which a collection sends its requests. A zeroed structure has the defaults. */
struct collect_tuning {
	int timeout_ms;	 /* 0: by the measured round trip */
	int retries;	 /* as in madring_agent_config */
	uint32_t window; /* requests in flight at most */
	/*
	 * These two are what madring_agent_config says of them, but .patience_ms 0 stands for
	 * COLLECT_PATIENCE_MS.
	 */
	uint32_t queue_us, patience_ms;
};

/*
 * How long a node may stay silent until it is given up, unless its timeout is fixed. A collection
 * waits for all silent nodes together, once. At 1 % loss each way the eight attempts that have room
 * in this time lose one request in forty million million.
 */
#define COLLECT_PATIENCE_MS 250

/* Registers for performance management. Returns 0, or -errno with a message written. */
int collect_agent_open(const struct local *local, const struct collect_tuning *tuning,
		       struct madring_agent **agent);

/*
 * Fills @collection, which is a new one, as @plan says. An interrupt, the deadline of the plan or
 * an error of the ring ends it early, as the members of @collection tell. @progress may be NULL.
 */
void collect(struct collection *collection, const struct plan *plan, const struct local *local,
	     struct madring_agent *agent, struct progress *progress);

#endif
