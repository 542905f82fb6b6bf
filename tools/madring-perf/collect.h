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
};

/* The attempts after the first. A node that answers no attempt costs about a second once, because
   the collection waits for all such nodes together. At 1 % loss each way six attempts lose one
   request in ten thousand million. */
#define COLLECT_RETRIES	       5
#define COLLECT_MAX_TIMEOUT_MS 250

/* The timeouts are below the library's defaults: all counters of a fabric take some ten
   milliseconds, and the end of a collection waits for the last lost request. An attempt too many
   does no harm. */
#define COLLECT_FIRST_TIMEOUT_MS 50
#define COLLECT_MIN_TIMEOUT_MS	 10

/* Registers for performance management. Returns 0, or -errno with a message written. */
int collect_agent_open(const struct local *local, const struct collect_tuning *tuning,
		       struct madring_agent **agent);

/* Fills @collection, which is a new one, as @plan says. An interrupt, the deadline of the plan or
   an error of the ring ends it early, as the members of @collection tell. @progress may be NULL. */
void collect(struct collection *collection, const struct plan *plan, const struct local *local,
	     struct madring_agent *agent, struct progress *progress);

#endif
