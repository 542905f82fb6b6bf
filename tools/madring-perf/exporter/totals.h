/* SPDX-License-Identifier: BSD-2-Clause */
/* Totals over all collections since the program began. */
#ifndef EXPORTER_TOTALS_H
#define EXPORTER_TOTALS_H

#include <stdint.h>
#include <madring.h>

#include "madring-perf/collection.h"

struct totals {
	uint64_t collections;			     /* that were made, whole or not */
	uint64_t failed;			     /* that could not be */
	uint64_t sent, received, retried, timed_out; /* MADs of rings that were closed */
	struct collection_stats stats;		     /* of the collections; the peak: the highest */
};

/* Adds a collection. */
void totals_add(struct totals *totals, const struct collection *collection);

/* Adds the MADs of a ring that is about to be closed. */
void totals_add_ring(struct totals *totals, const struct madring_stats *stats);

#endif
