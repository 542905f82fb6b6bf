/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The movement that --watch shows: the ports whose counters moved since they were last read, the
 * worst first.
 */
#ifndef PERF_MOVEMENT_H
#define PERF_MOVEMENT_H

#include <stddef.h>
#include <stdio.h>

#include "counter.h"
#include "common/names.h"
#include "known_nodes.h"
#include "thresholds.h"

/* The movement of one port; all rates are per second. */
struct movement {
	const struct port_counters *before, *after;
	double errors; /* of those that are not suppressed */
	double waits;  /* PortXmitWait: ticks */
	double xmit_octets, rcv_octets;
	double xmit_packets, rcv_packets;
	bool reset; /* a counter was cleared in between */
	bool full;  /* a counter is saturated */
};

struct movements {
	struct movement *list;
	size_t count;
};

/*
 * Compares a collection with the last readings of each of its nodes, and sorts the movements by
 * errors, then by waiting, then by data. The caller frees @movements before the readings of @after
 * are kept.
 */
void movements_find(struct movements *movements, const struct known_nodes *before,
		    const struct collection *after, const struct thresholds *thresholds);
void movements_free(struct movements *movements);

/*
 * Prints a table with a head of one line, and at most @lines in all; 0 is no limit. On a screen
 * with fewer than MOVEMENT_COLUMNS columns it is narrower, so that the errors have room.
 */
#define MOVEMENT_COLUMNS 132u
void movements_print(FILE *out, const struct movements *movements, const struct names *names,
		     const struct thresholds *thresholds, size_t lines, size_t columns);

#endif
