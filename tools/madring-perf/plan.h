/* SPDX-License-Identifier: BSD-2-Clause */
/* What a collection is to ask for, and of whom. */
#ifndef PERF_PLAN_H
#define PERF_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "collection.h"

struct plan {
	/* PMA_SET of what is asked for, where the node says that it has it, or does not say. */
	uint32_t attributes;
	/*
	 * Where a node can add all its ports up, that is asked for first; its ports follow only if
	 * this says so, or if the sum could not be read. NULL: all ports are asked, and no sums.
	 */
	bool (*look_closer)(void *context, const struct port_counters *all);
	/* Which nodes are asked. NULL: all. */
	bool (*wanted)(void *context, const struct node *node);
	void *context; /* for these */
	/* The time of the monotonic clock, in ns, at which the collection ends; 0: none. */
	uint64_t deadline_ns;
	/* What was read is set to 0: errors with PortXmitWait and the details, and the rest. */
	bool clear_errors, clear_counts;
};

#endif
