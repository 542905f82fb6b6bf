/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps track of the free units of a region, such as pages or cache lines, in a table outside the
 * region. A run is a number of adjacent units. A run that is given back is merged at once with the
 * free runs next to it. A run is taken from the free run that fits it best. Both take O(log n) for
 * n free runs.
 */
#ifndef MADRING_POOL_RUNS_H
#define MADRING_POOL_RUNS_H

#include <stdint.h>

#define RUNS_NONE UINT32_MAX

/*
 * The free runs form a treap, ordered by length and then by place; a run's node is at its first
 * unit.
 */
struct run {
	uint32_t units;	  /* at the first and the last unit of a free run; elsewhere 0 */
	uint32_t smaller; /* at the first unit: the subtree of smaller runs */
	uint32_t larger;  /* at the first unit: the subtree of larger runs */
};

struct runs {
	struct run *unit;
	uint32_t count;
	uint32_t most;
	uint32_t root;
};

/*
 * `runs_open` allocates the table for up to @most units, of which runs_grow() adds the first.
 * Returns 0 or -ENOMEM.
 */
int runs_open(struct runs *runs, uint32_t most);

/* `runs_close` frees the table. */
void runs_close(struct runs *runs);

/* `runs_grow` adds @units free units at the end. */
void runs_grow(struct runs *runs, uint32_t units);

/*
 * `runs_take` returns the first of @units adjacent units, whose number plus @offset is a multiple
 * of
 * @alignment, or RUNS_NONE when there is no such run.
 */
uint32_t runs_take(struct runs *runs, uint32_t units, uint64_t alignment, uint64_t offset);

/* `runs_give` gives back a run, or a part of one. */
void runs_give(struct runs *runs, uint32_t first, uint32_t units);

/* `runs_free_at_end` returns the number of free units at the end. */
uint32_t runs_free_at_end(const struct runs *runs);

#endif
