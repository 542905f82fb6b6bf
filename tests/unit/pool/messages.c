/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of any size from the pinned arena, by either allocator. */
#include "cmocka_all.h"

#include <jemalloc/jemalloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pool/jemalloc.h"
#include "pool/pool.h"

#pragma weak mallctl

#define MIB   ((size_t)1 << 20)
#define SLOTS 64u

static struct pool *open_pool(size_t message_bytes)
{
	struct pool_config config = {
		.message_bytes = message_bytes,
		.pin = MADRING_PIN_BEST_EFFORT,
	};
	struct pool *pool;

	assert_int_equal(pool_open(&pool, &config), 0);
	return pool;
}

static uint64_t in_use(const struct pool *pool)
{
	struct pool_stats stats;

	pool_stats(pool, &stats);
	return stats.message.in_use;
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

struct slot {
	struct madring_mad *mad;
	size_t length;
	unsigned char mark;
};

static void fill(struct slot *slot)
{
	memset(slot->mad, slot->mark, sizeof(struct ib_user_mad) + slot->length);
}

/* Checks that all bytes are the mark: the first is, and each is as the one before it. */
static void check(const struct slot *slot)
{
	const unsigned char *byte = (const unsigned char *)slot->mad;
	size_t bytes = sizeof(struct ib_user_mad) + slot->length;

	assert_int_equal(byte[0], slot->mark);
	assert_memory_equal(byte, byte + 1, bytes - 1);
}

/* Tells whether messages are jemalloc's: some systems build it with pages of 64 KiB. */
static bool is_jemalloc_expected(void)
{
	size_t page = 0, bytes = sizeof(page);

	return EXPECT_JEMALLOC && !mallctl("arenas.page", &page, &bytes, NULL, 0) && page == 4096;
}

static void test_allocator(void **state)
{
	assert_int_equal(jemalloc_is_here(), is_jemalloc_expected());
}

static void test_every_size(void **state)
{
	struct pool *pool = open_pool(24 * MIB);
	struct madring_mad *mad;

	for (size_t length = 24; length <= 16 * MIB; length += length / 7 + 1) {
		mad = pool_take_message(pool, length);
		if (!mad)
			fail_msg("no room for %zu bytes", length);
		assert_int_equal((uintptr_t)mad % 64, 0);
		assert_true(pool_room(pool, mad) >= length);
		memset(madring_mad_data(mad), 0x5a, pool_room(pool, mad));
		pool_give(pool, mad);
	}
	mad = pool_take_message(pool, 16 * MIB);
	assert_non_null(mad);
	pool_give(pool, mad);
	assert_int_equal(in_use(pool), 0);
	pool_close(pool);
}

/* Sizes are spread over all powers of two from 64 bytes to 16 MiB. */
static void test_contents_do_not_overlap(void **state)
{
	struct pool *pool = open_pool(40 * MIB);
	struct slot slots[SLOTS] = { { 0 } };
	unsigned int taken = 0, refused = 0;
	uint64_t seed = 1;

	for (unsigned int round = 0; round < 1000; round++) {
		struct slot *slot = &slots[next_random(&seed) % SLOTS];
		size_t power = (size_t)64 << next_random(&seed) % 18;

		if (slot->mad) {
			check(slot);
			pool_give(pool, slot->mad);
			slot->mad = NULL;
			continue;
		}
		slot->length = power + next_random(&seed) % power;
		slot->mark = (unsigned char)round;
		slot->mad = pool_take_message(pool, slot->length);
		if (slot->mad) {
			fill(slot);
			taken++;
		} else {
			refused++;
		}
	}
	assert_true(taken > 300);
	assert_true(refused > 0);
	for (unsigned int i = 0; i < SLOTS; i++) {
		if (!slots[i].mad)
			continue;
		check(&slots[i]);
		pool_give(pool, slots[i].mad);
	}
	assert_int_equal(in_use(pool), 0);
	/* The whole region is free again. */
	assert_non_null(pool_take_message(pool, 28 * MIB));
	pool_close(pool);
}

static int by_address(const void *a, const void *b)
{
	const struct slot *one = a, *other = b;

	return (one->mad > other->mad) - (one->mad < other->mad);
}

/* Checks that the pool counts as many bytes as are taken, and that no two buffers overlap. */
static void recount(const struct pool *pool, const struct slot *slots)
{
	struct slot sorted[SLOTS];
	struct pool_stats stats;
	uintptr_t end = 0;
	uint64_t bytes = 0;

	memcpy(sorted, slots, sizeof(sorted));
	qsort(sorted, SLOTS, sizeof(*sorted), by_address);
	for (unsigned int i = 0; i < SLOTS; i++) {
		size_t room;

		if (!sorted[i].mad)
			continue;
		room = sizeof(struct ib_user_mad) + pool_room(pool, sorted[i].mad);
		assert_true(room >= sizeof(struct ib_user_mad) + sorted[i].length);
		assert_true((uintptr_t)sorted[i].mad >= end);
		end = (uintptr_t)sorted[i].mad + room;
		bytes += room;
	}
	pool_stats(pool, &stats);
	assert_int_equal(stats.message.in_use, bytes);
	assert_true(bytes <= stats.pinned_bytes + stats.unpinned_bytes);
	assert_true(stats.pinned_bytes + stats.unpinned_bytes <= stats.message.capacity);
}

/* Takes short messages among long ones, in a region that is nearly full nearly always. */
static void test_random(void **state)
{
	struct pool *pool = open_pool(MIB / 4);
	struct slot slots[SLOTS] = { { 0 } };
	unsigned int taken = 0, refused = 0;
	uint64_t seed = 20;

	for (unsigned int step = 0; step < 20000; step++) {
		struct slot *slot = &slots[next_random(&seed) % SLOTS];

		if (slot->mad) {
			pool_give(pool, slot->mad);
			slot->mad = NULL;
		} else {
			slot->length =
				24 + next_random(&seed) % ((size_t)1 << next_random(&seed) % 18);
			slot->mad = pool_take_message(pool, slot->length);
			taken += slot->mad != NULL;
			refused += slot->mad == NULL;
		}
		if (step % 16 == 0)
			recount(pool, slots);
	}
	assert_true(taken > 5000);
	assert_true(refused > 400);
	for (unsigned int i = 0; i < SLOTS; i++)
		if (slots[i].mad)
			pool_give(pool, slots[i].mad);
	assert_int_equal(in_use(pool), 0);
	/* jemalloc keeps a slab for each size. */
	assert_non_null(pool_take_message(pool, is_jemalloc_expected() ? MIB / 16 : MIB / 4 - 64));
	pool_close(pool);
}

/* Returns how many buffers the region had room for. */
static unsigned int exhaust(struct pool *pool, size_t length)
{
	struct madring_mad *mad, *last = NULL;
	unsigned int count = 0;

	while ((mad = pool_take_message(pool, length))) {
		memcpy(madring_mad_data(mad), &last, sizeof(void *));
		last = mad;
		count++;
	}
	while (last) {
		mad = last;
		memcpy(&last, madring_mad_data(mad), sizeof(void *));
		pool_give(pool, mad);
	}
	return count;
}

static void test_exhaustion_and_reuse(void **state)
{
	static const size_t lengths[] = { 24, 300, 2000, 10000, 100000, MIB, 3 * MIB, 6 * MIB };
	enum { LENGTHS = sizeof(lengths) / sizeof(lengths[0]) };
	struct pool *pool = open_pool(8 * MIB);
	unsigned int count[LENGTHS];
	struct pool_stats stats;

	for (unsigned int i = 0; i < LENGTHS; i++) {
		count[i] = exhaust(pool, lengths[i]);
		/* Size classes and pages take at most a third. */
		assert_true(count[i] * (lengths[i] + 64) >= (i < 2 ? 5 : 4) * MIB);
		assert_int_equal(in_use(pool), 0);
	}
	for (unsigned int i = LENGTHS; i-- > 0;)
		assert_int_equal(exhaust(pool, lengths[i]), count[i]);
	pool_stats(pool, &stats);
	assert_int_equal(stats.message.exhausted, 2 * LENGTHS);
	assert_int_equal(stats.message.capacity, 8 * MIB);
	assert_true(stats.message.peak <= stats.message.capacity);
	assert_true(stats.message.peak >= 5 * MIB);
	pool_close(pool);
}

static void test_message_over_limit_is_refused(void **state)
{
	struct pool *pool = open_pool(MIB);
	struct pool_stats stats;

	assert_null(pool_take_message(pool, MIB));
	assert_null(pool_take_message(pool, SIZE_MAX));
	assert_null(pool_take_message(pool, SIZE_MAX - 64));
	assert_null(pool_take_message(pool, SIZE_MAX / 2));
	pool_stats(pool, &stats);
	assert_int_equal(stats.message.exhausted, 4);
	pool_close(pool);
}

static void test_smallest_region(void **state)
{
	struct pool *pool = open_pool(1);
	struct madring_mad *mad = pool_take_message(pool, 24);

	assert_non_null(mad);
	memset(madring_mad_data(mad), 1, pool_room(pool, mad));
	assert_null(pool_take_message(pool, (size_t)sysconf(_SC_PAGESIZE)));
	pool_give(pool, mad);
	pool_close(pool);
}

/*
 * Pools closed with messages still out: arenas and their numbers come back. jemalloc has 4094
 * numbers.
 */
static void test_open_and_close(void **state)
{
	struct pool *pool;

	for (unsigned int i = 0; i < 4200; i++) {
		pool = open_pool(64 << 10);
		assert_non_null(pool_take_message(pool, 256));
		assert_non_null(pool_take_message(pool, 20000));
		pool_close(pool);
	}
}

static void test_pools_are_apart(void **state)
{
	struct pool *one = open_pool(MIB), *other = open_pool(MIB);

	exhaust(one, 1000);
	while (pool_take_message(one, 1000))
		;
	assert_int_equal(in_use(other), 0);
	assert_non_null(pool_take_message(other, 500000));
	pool_close(one);
	assert_non_null(pool_take_message(other, 1000));
	pool_close(other);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_allocator),
	cmocka_unit_test(test_every_size),
	cmocka_unit_test(test_contents_do_not_overlap),
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_exhaustion_and_reuse),
	cmocka_unit_test(test_message_over_limit_is_refused),
	cmocka_unit_test(test_smallest_region),
	cmocka_unit_test(test_open_and_close),
	cmocka_unit_test(test_pools_are_apart),
};

TEST_MAIN(tests, NULL, NULL)
