/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures what a request costs while those before it have no reply, for each quarter of them. */
#ifndef BENCH_OUTSTANDING_H
#define BENCH_OUTSTANDING_H

#include <stdint.h>

#include "bench_measure.h"

#define QUARTERS 4u

struct spent {
	uint64_t wall_ns, cpu_ns;
};

struct outstanding {
	struct measure measure; /* .in_flight: how many are written */
	struct spent open, close, quarter[QUARTERS];
};

/* Returns how many requests are written when a quarter ends. */
static inline uint32_t outstanding_end(const struct outstanding *outstanding, uint32_t quarter)
{
	return (quarter + 1) * outstanding->measure.in_flight / QUARTERS;
}

/* Measures the time and processor time of what is done between the two calls. */
void spent_start(struct spent *spent);
void spent_stop(struct spent *spent);

/* Writes one line of JSON to stdout. Returns the program's exit status. */
int outstanding_report(const struct outstanding *outstanding);

#endif
