/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of pages: which pages of a region are free, in a table outside of it. A run that is
 * given back joins the free runs next to it at once; a run is taken from the free run that
 * fits it best.
 */
#ifndef MADRING_POOL_RUNS_H
#define MADRING_POOL_RUNS_H

#include <stdint.h>

#define RUNS_NONE UINT32_MAX

struct run {
	uint32_t pages; /* at the first and the last page of a free run; elsewhere 0 */
	uint32_t next;	/* at the first page: the list of free runs */
	uint32_t previous;
};

struct runs {
	struct run *page;
	uint32_t count;
	uint32_t first;
};

/* All of @count pages are free. 0 or -ENOMEM. */
int runs_open(struct runs *runs, uint32_t count);
void runs_close(struct runs *runs);

/*
 * The first of @pages adjacent pages, whose number plus @offset is a multiple of @alignment;
 * RUNS_NONE when there is no such run.
 */
uint32_t runs_take(struct runs *runs, uint32_t pages, uint64_t alignment, uint64_t offset);

/* What was taken may be given back in parts. */
void runs_give(struct runs *runs, uint32_t first, uint32_t pages);

#endif
