/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan of a collection: what to ask for, and of which nodes. */
#ifndef PERF_PLAN_H
#define PERF_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "collection.h"

struct plan {
	/* The PMA_SET to ask for, as far as a node has it or does not say. */
	uint32_t attributes;
	/*
	 * Tells from the sum over all ports of a node whether its ports have to be asked. A node
	 * that can add its ports up is asked for that first. The ports are also asked if the sum
	 * could not be read. NULL asks all ports, and for no sums.
	 */
	bool (*look_closer)(void *context, const struct port_counters *all);
	/* Tells which nodes are asked; NULL asks all. */
	bool (*wanted)(void *context, const struct madring_node *node);
	void *context; /* for these */
	/* The time of the monotonic clock, in ns, at which the collection ends; 0: none. */
	uint64_t deadline_ns;
	/*
	 * Tell which counters are cleared once they were read: those of errors, with PortXmitWait
	 * and the details, and the others.
	 */
	bool clear_errors, clear_counts;
};

#endif
