/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the counters that a collection has read with those that the fabric has. */
#ifndef MODEL_CHECK_COUNTERS_H
#define MODEL_CHECK_COUNTERS_H

#include <stdbool.h>

struct collection;
struct plan;
struct truth;

/* The fabric's counters before the collection, and after it. */
struct counter_bounds {
	const struct truth *before, *after;
};

/*
 * Checks that the values that were read lie between @bounds; with @cleared, only above the lower.
 */
void check_counters_are_real(const struct collection *collection,
			     const struct counter_bounds *bounds, bool cleared);

/* Checks that a collection that was not ended early has a reason for each value that is missing. */
void check_counters_are_explained(const struct collection *collection, const struct plan *plan);

/* Checks that each value was read that its node has. */
void check_counters_are_whole(const struct collection *collection);

#endif
