/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of pages against a plain map of which page is free. */
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

static void test_against_map(void **state)
{
	bool map[PAGES] = { false };
	uint64_t seed = 42;
	struct runs runs;

	(void)state;
	assert_int_equal(runs_open(&runs, PAGES), 0);
	for (unsigned int i = 0; i < 20000; i++) {
		if (next_random(&seed) % 2)
			take_one(&runs, map, &seed);
		else
			give_one(&runs, map, &seed);
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

	(void)state;
	assert_int_equal(runs_open(&runs, PAGES), 0);
	assert_int_equal(runs_take(&runs, PAGES, 1, 0), 0);
	runs_give(&runs, 10, 20);
	runs_give(&runs, 50, 5);
	runs_give(&runs, 100, 50);
	assert_int_equal(runs_take(&runs, 4, 1, 0), 50);
	assert_int_equal(runs_take(&runs, 6, 1, 0), 10);
	assert_int_equal(runs_take(&runs, 21, 1, 0), 100);
	runs_close(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_map),
		cmocka_unit_test(test_best_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
