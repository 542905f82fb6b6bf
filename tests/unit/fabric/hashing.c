/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that were chosen to collide do not collide. */
#include "cmocka_all.h"

#include <stdint.h>

#include "hash/keyed_hash.h"
#include "fabric/graph.h"

#define NODES	      20000
#define LONGEST_CHAIN 16 /* a longer chain comes once in 10^18 runs */

struct vector {
	size_t size;
	uint64_t hash;
};

/* Hashes of the bytes 0, 1, 2 and so on, with a key of zeros, made by CPython's hash() of bytes. */
static const struct vector vectors[] = {
	{ 1, UINT64_C(0x68a914128e01e473) },  { 7, UINT64_C(0x2f098ab0c751325a) },
	{ 8, UINT64_C(0xead411e67ebe2eea) },  { 9, UINT64_C(0x75927f9d95124362) },
	{ 15, UINT64_C(0xf30eb725bb91c9ea) }, { 16, UINT64_C(0x8972188433a5c5b7) },
	{ 31, UINT64_C(0x169739443111d49b) },
};

static void test_siphash(void **state)
{
	const struct hash_key zero = { { 0, 0 } };
	uint8_t data[31];

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		assert_true(keyed_hash(&zero, data, vectors[i].size) == vectors[i].hash);
}

static void test_keys_differ(void **state)
{
	struct hash_key one, other;

	hash_key_draw(&one);
	hash_key_draw(&other);
	assert_true(one.word[0] != other.word[0] || one.word[1] != other.word[1]);
	assert_true(keyed_hash_u64(&one, 1) != keyed_hash_u64(&other, 1));
}

static size_t longest_chain(const struct madring_fabric *fabric)
{
	size_t longest = 0;

	for (size_t b = 0; b < FABRIC_BUCKETS; b++) {
		size_t length = 0;

		for (const struct node *node = fabric->bucket[b]; node; node = node->next)
			length++;
		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Returns the inverse of an odd number modulo 2^64. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (unsigned int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/*
 * The first GUIDs would all be in one bucket of a table that takes the upper bits of a product with
 * this number. The others differ in their upper bits only, and would be in one bucket of a table
 * that takes the lower bits.
 */
static void test_guids_do_not_collide(void **state)
{
	const uint64_t golden = inverse(UINT64_C(0x9e3779b97f4a7c15));

	for (unsigned int way = 0; way < 2; way++) {
		struct madring_fabric *fabric = fabric_new();
		struct route route = { 0 };

		for (uint64_t i = 1; i <= NODES; i++) {
			struct madring_node_info info = {
				.type = MADRING_NODE_CA,
				.port_count = 1,
				.local_port = 1,
				.node_guid = way ? i << 32 : i * golden,
			};

			assert_non_null(fabric_add(fabric, &info, &route));
		}
		assert_in_range(longest_chain(fabric), 1, LONGEST_CHAIN);
		for (uint64_t i = 1; i <= NODES; i++)
			assert_non_null(fabric_find(fabric, way ? i << 32 : i * golden));
		fabric_free(fabric);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_siphash),
	cmocka_unit_test(test_keys_differ),
	cmocka_unit_test(test_guids_do_not_collide),
};

TEST_MAIN(tests, NULL, NULL)
