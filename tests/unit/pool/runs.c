/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests runs of units against a plain map of the units that are free. */
#include "cmocka_all.h"

#include <stdbool.h>
#include <string.h>

#include "pool/runs.h"

#define PAGES 200u

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static bool all_are(const bool *map, uint32_t first, uint32_t pages, bool value)
{
	for (uint32_t i = first; i < first + pages; i++)
		if (map[i] != value)
			return false;
	return true;
}

static bool is_there_room(const bool *map, uint32_t pages, uint64_t alignment, uint64_t offset)
{
	for (uint32_t first = 0; first + pages <= PAGES; first++)
		if ((first + offset) % alignment == 0 && all_are(map, first, pages, false))
			return true;
	return false;
}

static void take_one(struct runs *runs, bool *map, uint64_t *seed)
{
	uint32_t pages = 1 + (uint32_t)(next_random(seed) % 30);
	uint64_t alignment = (uint64_t)1 << next_random(seed) % 5;
	uint64_t offset = 3;
	uint32_t first = runs_take(runs, pages, alignment, offset);

	if (first == RUNS_NONE) {
		assert_false(is_there_room(map, pages, alignment, offset));
		return;
	}
	assert_true(first + pages <= PAGES);
	assert_int_equal((first + offset) % alignment, 0);
	assert_true(all_are(map, first, pages, false));
	memset(map + first, true, pages);
}

/* Gives back a part of what is taken, wherever it was taken from. */
static void give_one(struct runs *runs, bool *map, uint64_t *seed)
{
	uint32_t first = (uint32_t)(next_random(seed) % PAGES);
	uint32_t most = 1 + (uint32_t)(next_random(seed) % 40);
	uint32_t pages = 0;

	while (pages < most && first + pages < PAGES && map[first + pages])
		pages++;
	if (!pages)
		return;
	runs_give(runs, first, pages);
	memset(map + first, false, pages);
}

struct count {
	uint32_t runs;
	uint32_t units;
};

/*
 * Counts the runs of a subtree. Checks that the table has both ends of each, and that each is
 * between the runs @least and @most.
 */
static void count_subtree(const struct runs *runs, const bool *map, uint32_t at,
			  const uint64_t *least, const uint64_t *most, struct count *count)
{
	const struct run *run;
	uint64_t key;

	if (at == RUNS_NONE)
		return;
	run = &runs->unit[at];
	key = (uint64_t)run->units << 32 | at;
	assert_true(run->units && at + run->units <= runs->count);
	assert_int_equal(runs->unit[at + run->units - 1].units, run->units);
	assert_true(all_are(map, at, run->units, false));
	/* If a neighbour were free, it would have joined this run. */
	assert_true(!at || map[at - 1]);
	assert_true(at + run->units == runs->count || map[at + run->units]);
	assert_true((!least || key > *least) && (!most || key < *most));
	count->runs++;
	count->units += run->units;
	count_subtree(runs, map, run->smaller, least, &key, count);
	count_subtree(runs, map, run->larger, &key, most, count);
}

/* Checks that the tree has all units that are free in the map, and no others. */
static void recount(const struct runs *runs, const bool *map)
{
	struct count count = { 0 };
	uint32_t free_units = 0, ends = 0;

	count_subtree(runs, map, runs->root, NULL, NULL, &count);
	for (uint32_t i = 0; i < runs->count; i++) {
		free_units += !map[i];
		if (runs->unit[i].units)
			ends += runs->unit[i].units == 1 ? 2 : 1;
	}
	assert_int_equal(count.units, free_units);
	assert_int_equal(2 * count.runs, ends);
}

static void open_all(struct runs *runs)
{
	assert_int_equal(runs_open(runs, PAGES), 0);
	assert_int_equal(runs_take(runs, 1, 1, 0), RUNS_NONE);
	runs_grow(runs, PAGES);
}

static void test_against_map(void **state)
{
	bool map[PAGES] = { false };
	uint64_t seed = 42;
	struct runs runs;

	open_all(&runs);
	for (unsigned int i = 0; i < 20000; i++) {
		if (next_random(&seed) % 2)
			take_one(&runs, map, &seed);
		else
			give_one(&runs, map, &seed);
		recount(&runs, map);
	}
	for (uint32_t i = 0; i < PAGES; i++)
		if (map[i])
			runs_give(&runs, i, 1);
	assert_int_equal(runs_take(&runs, PAGES, 1, 0), 0);
	assert_int_equal(runs_take(&runs, 1, 1, 0), RUNS_NONE);
	runs_close(&runs);
}

static void test_best_fit(void **state)
{
	struct runs runs;

	open_all(&runs);
	assert_int_equal(runs_take(&runs, PAGES, 1, 0), 0);
	runs_give(&runs, 10, 20);
	runs_give(&runs, 50, 5);
	runs_give(&runs, 100, 50);
	assert_int_equal(runs_take(&runs, 4, 1, 0), 50);
	assert_int_equal(runs_take(&runs, 6, 1, 0), 10);
	assert_int_equal(runs_take(&runs, 21, 1, 0), 100);
	runs_close(&runs);
}

static void test_growth(void **state)
{
	bool map[PAGES] = { false };
	struct runs runs;

	assert_int_equal(runs_open(&runs, PAGES), 0);
	assert_int_equal(runs_free_at_end(&runs), 0);
	runs_grow(&runs, 10);
	recount(&runs, map);
	assert_int_equal(runs_free_at_end(&runs), 10);
	assert_int_equal(runs_take(&runs, 11, 1, 0), RUNS_NONE);
	assert_int_equal(runs_take(&runs, 4, 1, 0), 0);
	memset(map, true, 4);
	runs_grow(&runs, PAGES - 10);
	recount(&runs, map);
	assert_int_equal(runs_take(&runs, PAGES - 4, 1, 0), 4);
	assert_int_equal(runs_free_at_end(&runs), 0);
	runs_close(&runs);
}

/* Returns the height of a subtree, which stays low in whatever order runs are given back. */
static uint32_t height(const struct runs *runs, uint32_t at)
{
	uint32_t smaller, larger;

	if (at == RUNS_NONE)
		return 0;
	smaller = height(runs, runs->unit[at].smaller);
	larger = height(runs, runs->unit[at].larger);
	return 1 + (smaller > larger ? smaller : larger);
}

static void test_height(void **state)
{
	enum { RUNS = 1 << 16 };
	struct runs runs;

	for (uint32_t stride = 2; stride <= 64; stride *= 2) {
		assert_int_equal(runs_open(&runs, RUNS * stride), 0);
		runs_grow(&runs, RUNS * stride);
		assert_int_equal(runs_take(&runs, RUNS * stride, 1, 0), 0);
		for (uint32_t i = 0; i < RUNS; i++)
			runs_give(&runs, i * stride, 1);
		/* The height after random insertions is about 3 log2 n. */
		assert_in_range(height(&runs, runs.root), 16, 64);
		runs_close(&runs);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_against_map),
	cmocka_unit_test(test_best_fit),
	cmocka_unit_test(test_growth),
	cmocka_unit_test(test_height),
};

TEST_MAIN(tests, NULL, NULL)
