/* SPDX-License-Identifier: BSD-2-Clause */
/* Buffers of fixed size: taking, giving back, running out, statistics. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "pool/pool.h"

#define COUNT 100u

static struct pool *open_pool(void)
{
	struct pool_config config = {
		.plain = COUNT,
		.large = 3,
		.pin = MADRING_PIN_BEST_EFFORT,
	};
	struct pool *pool;

	assert_int_equal(pool_open(&pool, &config), 0);
	return pool;
}

static void test_exhaustion(void **state)
{
	struct pool *pool = open_pool();
	struct madring_mad *taken[COUNT];
	struct pool_stats stats;

	for (unsigned int round = 1; round <= 3; round++) {
		for (unsigned int i = 0; i < COUNT; i++)
			assert_non_null(taken[i] = pool_take_plain(pool));
		assert_null(pool_take_plain(pool));
		pool_stats(pool, &stats);
		assert_int_equal(stats.plain.exhausted, round);
		assert_int_equal(stats.plain.in_use, COUNT);
		for (unsigned int i = 0; i < COUNT; i++)
			pool_give(pool, taken[i]);
	}
	pool_close(pool);
}

static void test_last_in_first_out(void **state)
{
	struct pool *pool = open_pool();
	struct madring_mad *first = pool_take_plain(pool);
	struct madring_mad *second = pool_take_plain(pool);
	struct madring_mad *third = pool_take_plain(pool);

	pool_give(pool, second);
	pool_give(pool, first);
	pool_give(pool, third);
	assert_ptr_equal(pool_take_plain(pool), third);
	assert_ptr_equal(pool_take_plain(pool), first);
	assert_ptr_equal(pool_take_plain(pool), second);
	pool_close(pool);
}

static void test_contents_stay(void **state)
{
	struct pool *pool = open_pool();
	struct madring_mad *mad = pool_take_large(pool);
	unsigned char *data = madring_mad_data(mad);

	memset(data, 0x5a, MADRING_LARGE_MAD_BYTES);
	pool_give(pool, mad);
	assert_ptr_equal(pool_take_large(pool), mad);
	for (size_t i = 0; i < MADRING_LARGE_MAD_BYTES; i++)
		assert_int_equal(data[i], 0x5a);
	pool_close(pool);
}

static void test_no_overlap(void **state)
{
	struct pool *pool = open_pool();
	struct madring_mad *plain[COUNT], *large[3];

	for (unsigned int i = 0; i < COUNT; i++) {
		plain[i] = pool_take_plain(pool);
		memset(plain[i], (int)i, 64 + pool_room(pool, plain[i]));
	}
	for (unsigned int i = 0; i < 3; i++) {
		large[i] = pool_take_large(pool);
		memset(large[i], (int)(COUNT + i), 64 + pool_room(pool, large[i]));
	}
	for (unsigned int i = 0; i < COUNT; i++)
		for (size_t byte = 0; byte < 64 + MADRING_MAD_BYTES; byte++)
			assert_int_equal(((unsigned char *)plain[i])[byte], i);
	for (unsigned int i = 0; i < 3; i++)
		for (size_t byte = 0; byte < 64 + MADRING_LARGE_MAD_BYTES; byte++)
			assert_int_equal(((unsigned char *)large[i])[byte], COUNT + i);
	pool_close(pool);
}

static void test_alignment_and_room(void **state)
{
	struct pool *pool = open_pool();
	struct madring_mad *mad;

	while ((mad = pool_take_plain(pool))) {
		assert_int_equal((uintptr_t)mad % 64, 0);
		assert_int_equal(pool_room(pool, mad), MADRING_MAD_BYTES);
	}
	while ((mad = pool_take_large(pool))) {
		assert_int_equal((uintptr_t)mad % 64, 0);
		assert_int_equal(pool_room(pool, mad), MADRING_LARGE_MAD_BYTES);
	}
	pool_close(pool);
}

static void test_numbers_of_plain_buffers(void **state)
{
	struct pool *pool = open_pool();
	bool seen[COUNT] = { false };
	struct madring_mad *mad;
	uint32_t index;

	while ((mad = pool_take_plain(pool))) {
		index = pool_plain_index(pool, mad);
		assert_in_range(index, 0, COUNT - 1);
		assert_false(seen[index]);
		seen[index] = true;
		assert_ptr_equal(pool_plain_at(pool, index), mad);
	}
	for (index = 0; index < COUNT; index++)
		assert_true(seen[index]);
	pool_close(pool);
}

static void test_stats(void **state)
{
	struct pool *pool = open_pool();
	struct madring_mad *mad = pool_take_plain(pool);
	struct pool_stats stats;

	pool_give(pool, pool_take_plain(pool));
	pool_give(pool, pool_take_large(pool));
	assert_null(pool_take_message(pool, 256));
	pool_stats(pool, &stats);
	assert_int_equal(stats.plain.capacity, COUNT);
	assert_int_equal(stats.plain.in_use, 1);
	assert_int_equal(stats.plain.peak, 2);
	assert_int_equal(stats.plain.exhausted, 0);
	assert_int_equal(stats.large.capacity, 3);
	assert_int_equal(stats.large.in_use, 0);
	assert_int_equal(stats.large.peak, 1);
	assert_int_equal(stats.message.capacity, 0);
	assert_int_equal(stats.message.exhausted, 1);
	assert_true(stats.pinned_bytes + stats.unpinned_bytes >= COUNT * 320 + 3 * 2112);
	pool_give(pool, mad);
	pool_stats(pool, &stats);
	assert_int_equal(stats.plain.in_use, 0);
	assert_int_equal(stats.plain.peak, 2);
	pool_close(pool);
}

static void test_empty_classes(void **state)
{
	struct pool_config config = { .plain = 1, .pin = MADRING_PIN_BEST_EFFORT };
	struct pool_stats stats;
	struct pool *pool;

	assert_int_equal(pool_open(&pool, &config), 0);
	assert_null(pool_take_large(pool));
	assert_null(pool_take_message(pool, 1));
	pool_stats(pool, &stats);
	assert_int_equal(stats.large.exhausted, 1);
	pool_close(pool);
	pool_close(NULL);
}

static void test_bad_config(void **state)
{
	struct pool_config config = { .plain = 1, .pin = (enum madring_pin)7 };
	struct pool *pool;

	assert_int_equal(pool_open(&pool, &config), -EINVAL);
	config.pin = MADRING_PIN_BEST_EFFORT;
	config.message_bytes = UINT64_MAX;
	assert_int_equal(pool_open(&pool, &config), -EINVAL);
	config.message_bytes = (uint64_t)1 << 61;
	assert_int_equal(pool_open(&pool, &config), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_exhaustion),
	cmocka_unit_test(test_last_in_first_out),
	cmocka_unit_test(test_contents_stay),
	cmocka_unit_test(test_no_overlap),
	cmocka_unit_test(test_alignment_and_room),
	cmocka_unit_test(test_numbers_of_plain_buffers),
	cmocka_unit_test(test_stats),
	cmocka_unit_test(test_empty_classes),
	cmocka_unit_test(test_bad_config),
};

TEST_MAIN(tests, NULL, NULL)
