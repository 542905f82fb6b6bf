/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runs.h"

/* Scatters the places of runs, so that the treap is balanced; no two runs have the same rank. */
static uint32_t rank(uint32_t first)
{
	return first * 2654435761u;
}

static bool precedes(const struct runs *runs, uint32_t run, uint32_t other)
{
	uint32_t units = runs->unit[run].units, other_units = runs->unit[other].units;

	return units != other_units ? units < other_units : run < other;
}

/* Returns the link below @parent that leads to the place of @run. */
static uint32_t *link_towards(struct runs *runs, uint32_t parent, uint32_t run)
{
	struct run *at = &runs->unit[parent];

	return precedes(runs, run, parent) ? &at->smaller : &at->larger;
}

/* Divides a subtree into what precedes @run and what does not, as the subtrees of @run. */
static void split(struct runs *runs, uint32_t subtree, uint32_t run)
{
	uint32_t *smaller = &runs->unit[run].smaller, *larger = &runs->unit[run].larger;

	while (subtree != RUNS_NONE) {
		if (precedes(runs, subtree, run)) {
			*smaller = subtree;
			smaller = &runs->unit[subtree].larger;
			subtree = *smaller;
		} else {
			*larger = subtree;
			larger = &runs->unit[subtree].smaller;
			subtree = *larger;
		}
	}
	*smaller = *larger = RUNS_NONE;
}

static void insert(struct runs *runs, uint32_t first, uint32_t units)
{
	uint32_t *link = &runs->root;
	uint32_t below;

	if (!units)
		return;
	runs->unit[first + units - 1].units = units;
	runs->unit[first].units = units;
	while (*link != RUNS_NONE && rank(*link) > rank(first))
		link = link_towards(runs, *link, first);
	below = *link;
	*link = first;
	split(runs, below, first);
}

/* Puts at @link the runs of two subtrees, of which all of @smaller precede all of @larger. */
static void merge(struct runs *runs, uint32_t *link, uint32_t smaller, uint32_t larger)
{
	while (smaller != RUNS_NONE && larger != RUNS_NONE) {
		if (rank(smaller) > rank(larger)) {
			*link = smaller;
			link = &runs->unit[smaller].larger;
			smaller = *link;
		} else {
			*link = larger;
			link = &runs->unit[larger].smaller;
			larger = *link;
		}
	}
	*link = smaller != RUNS_NONE ? smaller : larger;
}

/* Returns how many units it had. */
static uint32_t unlink_run(struct runs *runs, uint32_t first)
{
	struct run *run = &runs->unit[first];
	uint32_t units = run->units;
	uint32_t *link = &runs->root;

	while (*link != first) {
		assert(*link != RUNS_NONE);
		link = link_towards(runs, *link, first);
	}
	merge(runs, link, run->smaller, run->larger);
	runs->unit[first + units - 1].units = 0;
	run->units = 0;
	return units;
}

int runs_open(struct runs *runs, uint32_t most)
{
	runs->unit = calloc(most, sizeof(*runs->unit));
	if (!runs->unit)
		return -ENOMEM;
	runs->count = 0;
	runs->most = most;
	runs->root = RUNS_NONE;
	return 0;
}

void runs_close(struct runs *runs)
{
	free(runs->unit);
	memset(runs, 0, sizeof(*runs));
}

void runs_grow(struct runs *runs, uint32_t units)
{
	uint32_t first = runs->count;

	assert(units <= runs->most - runs->count);
	if (!units)
		return;
	runs->count += units;
	runs_give(runs, first, units);
}

/* Returns the first run, by length and place, of @units or more, that is not before @place. */
static uint32_t search(const struct runs *runs, uint32_t units, uint32_t place)
{
	uint32_t found = RUNS_NONE, at = runs->root;

	while (at != RUNS_NONE) {
		const struct run *run = &runs->unit[at];

		if (run->units > units || (run->units == units && at >= place)) {
			found = at;
			at = run->smaller;
		} else {
			at = run->larger;
		}
	}
	return found;
}

/* Units to leave out at the front of a run for the alignment. */
static uint64_t skipped(uint32_t first, uint64_t alignment, uint64_t offset)
{
	uint64_t over = (first + offset) % alignment;

	return over ? alignment - over : 0;
}

uint32_t runs_take(struct runs *runs, uint32_t units, uint64_t alignment, uint64_t offset)
{
	uint32_t best = search(runs, units, 0);
	uint32_t length, skip;

	assert(units && alignment);
	while (best != RUNS_NONE &&
	       units + skipped(best, alignment, offset) > runs->unit[best].units)
		best = search(runs, runs->unit[best].units, best + 1);
	if (best == RUNS_NONE)
		return RUNS_NONE;
	skip = (uint32_t)skipped(best, alignment, offset);
	length = unlink_run(runs, best);
	insert(runs, best + skip + units, length - skip - units);
	insert(runs, best, skip);
	return best + skip;
}

void runs_give(struct runs *runs, uint32_t first, uint32_t units)
{
	uint32_t end = first + units;

	assert(units && first < end && end <= runs->count);
	assert(!runs->unit[first].units && !runs->unit[end - 1].units);
	if (first && runs->unit[first - 1].units)
		first -= unlink_run(runs, first - runs->unit[first - 1].units);
	if (end < runs->count && runs->unit[end].units)
		end += unlink_run(runs, end);
	insert(runs, first, end - first);
}

uint32_t runs_free_at_end(const struct runs *runs)
{
	return runs->count ? runs->unit[runs->count - 1].units : 0;
}
