/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of units, such as pages or cache lines: which units of a region are free, in a table
 * outside of it. A run that is given back joins the free runs next to it at once; a run is
 * taken from the free run that fits it best. Both take O(log n) of the free runs.
 */
#ifndef MADRING_POOL_RUNS_H
#define MADRING_POOL_RUNS_H

#include <stdint.h>

#define RUNS_NONE UINT32_MAX

/* A treap of the free runs by length, then by place, in the entries of their first units. */
struct run {
	uint32_t units;	  /* at the first and the last unit of a free run; elsewhere 0 */
	uint32_t smaller; /* at the first unit: the subtrees */
	uint32_t larger;
};

struct runs {
	struct run *unit;
	uint32_t count;
	uint32_t most;
	uint32_t root;
};

/* Prepares for up to @most units; there are none before runs_grow(). 0 or -ENOMEM. */
int runs_open(struct runs *runs, uint32_t most);
void runs_close(struct runs *runs);

/* Adds @units free units at the end. */
void runs_grow(struct runs *runs, uint32_t units);

/*
 * The first of @units adjacent units, whose number plus @offset is a multiple of @alignment;
 * RUNS_NONE when there is no such run.
 */
uint32_t runs_take(struct runs *runs, uint32_t units, uint64_t alignment, uint64_t offset);

/* What was taken may be given back in parts. */
void runs_give(struct runs *runs, uint32_t first, uint32_t units);

/* Returns how many units at the end are free. */
uint32_t runs_free_at_end(const struct runs *runs);

#endif
