/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last readings of a node's ports, each from the last collection that got it. The counters of a
 * node that did not answer for some collections are compared with these when it answers again.
 */
#ifndef PERF_LAST_READINGS_H
#define PERF_LAST_READINGS_H

#include "collection.h"

/* Zeroed, it has no readings. It must stay where it is, as its ports point into it. */
struct last_readings {
	struct node_counters node; /* .node and the .port of its ports are NULL */
};

void last_readings_free(struct last_readings *last);

/* Moves the readings of @node that are done, and the capabilities by which they are read. */
void last_readings_take(struct last_readings *last, struct node_counters *node);

/*
 * Returns the last readings of a port, or NULL if it has none. They stay where they are until the
 * next last_readings_take().
 */
const struct port_counters *last_readings_of(const struct last_readings *last, uint8_t number);

#endif
