/* SPDX-License-Identifier: BSD-2-Clause */
/* A node's shard, which no version may change. */
#include "cmocka_all.h"

#include "madring-perf/shard.h"

static void test_of(void **state)
{
	static const struct {
		uint64_t guid;
		uint32_t of_2, of_3, of_7, of_65536;
	} nodes[] = {
		{ 0, 1, 1, 1, 1 },
		{ 1, 2, 2, 7, 1510 },
		{ 0x0002c90300a1b2c3, 1, 2, 1, 43967 },
		{ UINT64_MAX, 2, 1, 1, 48508 },
		{ 0x200000, 2, 1, 3, 16102 },
	};

	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		assert_int_equal(shard_of(nodes[i].guid, 1), 1);
		assert_int_equal(shard_of(nodes[i].guid, 2), nodes[i].of_2);
		assert_int_equal(shard_of(nodes[i].guid, 3), nodes[i].of_3);
		assert_int_equal(shard_of(nodes[i].guid, 7), nodes[i].of_7);
		assert_int_equal(shard_of(nodes[i].guid, 65536), nodes[i].of_65536);
	}
}

/* GUIDs come in steps of 1, 2, 4, ...: none may leave a shard with far more than its part. */
static void test_even(void **state)
{
	for (unsigned int shift = 0; shift < 48; shift++) {
		for (uint32_t count = 2; count <= 8; count++) {
			unsigned int nodes[9] = { 0 };

			for (uint64_t i = 0; i < 8000; i++)
				nodes[shard_of(0x0002c90300000000 + (i << shift), count)]++;
			for (uint32_t shard = 1; shard <= count; shard++)
				assert_in_range(nodes[shard], 8000 / count * 8 / 10,
						8000 / count * 12 / 10);
		}
	}
}

static void test_parse(void **state)
{
	static const char *const wrong[] = {
		"",	"1",	 "/",	    "1/",	   "/1",
		"0/1",	"2/1",	 "0/0",	    "1/0",	   "-1/2",
		"1/-2", "1/2/",	 "1/2 ",    " 1/2",	   "1 /2",
		"1/2x", "0x1/2", "1/65537", "65537/65537", "1/18446744073709551617",
		"a/b"
	};
	struct shard shard;

	assert_true(shard_parse(&shard, "1/1"));
	assert_true(shard_has(&shard, 5));
	assert_true(shard_parse(&shard, "65536/65536"));
	assert_int_equal(shard.number, 65536);
	assert_true(shard_parse(&shard, "2/3"));
	assert_int_equal(shard.number, 2);
	assert_int_equal(shard.count, 3);
	assert_true(shard_has(&shard, 0x0002c90300a1b2c3));
	assert_false(shard_has(&shard, 0));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(shard_parse(&shard, wrong[i]));
	assert_true(shard_has(&(struct shard){ 0 }, 5));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_of),
	cmocka_unit_test(test_even),
	cmocka_unit_test(test_parse),
};

TEST_MAIN(tests, NULL, NULL)
