/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

static void insert(struct runs *runs, uint32_t first, uint32_t pages)
{
	struct run *run = &runs->page[first];

	if (!pages)
		return;
	runs->page[first + pages - 1].pages = pages;
	run->pages = pages;
	run->previous = RUNS_NONE;
	run->next = runs->first;
	if (run->next != RUNS_NONE)
		runs->page[run->next].previous = first;
	runs->first = first;
}

/* Returns how many pages it had. */
static uint32_t unlink_run(struct runs *runs, uint32_t first)
{
	struct run *run = &runs->page[first];
	uint32_t pages = run->pages;

	if (run->previous == RUNS_NONE)
		runs->first = run->next;
	else
		runs->page[run->previous].next = run->next;
	if (run->next != RUNS_NONE)
		runs->page[run->next].previous = run->previous;
	runs->page[first + pages - 1].pages = 0;
	run->pages = 0;
	return pages;
}

int runs_open(struct runs *runs, uint32_t count)
{
	runs->page = calloc(count, sizeof(*runs->page));
	if (!runs->page)
		return -ENOMEM;
	runs->count = count;
	runs->first = RUNS_NONE;
	insert(runs, 0, count);
	return 0;
}

void runs_close(struct runs *runs)
{
	free(runs->page);
	memset(runs, 0, sizeof(*runs));
}

/* Pages to leave out at the front of a run for the alignment. */
static uint64_t skipped(uint32_t first, uint64_t alignment, uint64_t offset)
{
	uint64_t over = (first + offset) % alignment;

	return over ? alignment - over : 0;
}

uint32_t runs_take(struct runs *runs, uint32_t pages, uint64_t alignment, uint64_t offset)
{
	uint32_t best = RUNS_NONE;
	uint32_t length, skip;

	for (uint32_t run = runs->first; run != RUNS_NONE; run = runs->page[run].next) {
		length = runs->page[run].pages;
		if (pages + skipped(run, alignment, offset) > length)
			continue;
		if (best == RUNS_NONE || length < runs->page[best].pages)
			best = run;
	}
	if (best == RUNS_NONE)
		return RUNS_NONE;
	skip = (uint32_t)skipped(best, alignment, offset);
	length = unlink_run(runs, best);
	insert(runs, best + skip + pages, length - skip - pages);
	insert(runs, best, skip);
	return best + skip;
}

void runs_give(struct runs *runs, uint32_t first, uint32_t pages)
{
	uint32_t end = first + pages;

	if (first && runs->page[first - 1].pages)
		first -= unlink_run(runs, first - runs->page[first - 1].pages);
	if (end < runs->count && runs->page[end].pages)
		end += unlink_run(runs, end);
	insert(runs, first, end - first);
}
