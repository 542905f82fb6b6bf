/* SPDX-License-Identifier: BSD-2-Clause */
/* The flow table: many keys, few flows. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "engine/flow.h"
#include "model/common/prng.h"

#define FLOWS 1000
#define SEED  7

static uint32_t take(struct flow_table *table, uint16_t agent, uint64_t key)
{
	struct pace_agent pace;

	pace_agent_open(&pace,
			&(struct pace_limits){ .window = 16, .flow_window = 16, .flow_first = 4 },
			0);
	return flow_table_take(table, agent, key, &pace);
}

static void test_same_key_same_flow(void **state)
{
	struct flow_table table;
	uint32_t index[FLOWS];

	assert_int_equal(flow_table_open(&table, FLOWS, SEED), 0);
	for (uint32_t i = 0; i < FLOWS; i++) {
		/* Keys that differ in their high bits, or in their agent alone. */
		index[i] = take(&table, (uint16_t)(i % 2), (uint64_t)(i / 2) << 40);
		assert_true(index[i] < FLOWS);
		for (uint32_t j = 0; j < i; j++)
			assert_int_not_equal(index[j], index[i]);
	}
	assert_int_equal(take(&table, 7, 7), FLOW_NONE);
	for (uint32_t i = 0; i < FLOWS; i++)
		assert_int_equal(take(&table, (uint16_t)(i % 2), (uint64_t)(i / 2) << 40),
				 index[i]);
	flow_table_close(&table);
}

static void test_idle_is_remembered(void **state)
{
	struct flow_table table;
	uint32_t index;

	assert_int_equal(flow_table_open(&table, 2, SEED), 0);
	index = take(&table, 1, 10);
	rtt_estimate_add(&table.flow[index].pace.rtt, 5000);
	flow_table_idle(&table, index);
	flow_table_idle(&table, take(&table, 1, 11));
	assert_int_equal(take(&table, 1, 10), index);
	assert_int_equal(table.flow[index].pace.rtt.srtt, 5000);
	flow_table_close(&table);
}

static void test_longest_idle_goes_first(void **state)
{
	struct flow_table table;
	uint32_t first, second, third;

	assert_int_equal(flow_table_open(&table, 3, SEED), 0);
	first = take(&table, 0, 1);
	second = take(&table, 0, 2);
	third = take(&table, 0, 3);
	flow_table_idle(&table, second);
	flow_table_idle(&table, first);
	flow_table_idle(&table, third);
	assert_int_equal(take(&table, 0, 1), first);
	flow_table_idle(&table, first);
	assert_int_equal(take(&table, 0, 4), second);
	assert_int_equal(table.flow[second].pace.rtt.srtt, 0);
	assert_int_equal(table.flow[second].pace.window.size, 4);
	assert_int_equal(take(&table, 0, 5), third);
	assert_int_equal(take(&table, 0, 6), first);
	assert_int_equal(take(&table, 0, 7), FLOW_NONE);
	flow_table_close(&table);
}

/* Random calls are compared with a list of the flows taken. */
static void test_random(void **state)
{
	static struct {
		uint64_t key;
		uint16_t agent;
		bool busy;
	} held[FLOWS];
	struct flow_table table;
	struct prng prng;
	uint32_t busy = 0;

	prng_seed(&prng, 1);
	assert_int_equal(flow_table_open(&table, FLOWS, SEED), 0);
	for (int i = 0; i < 300000; i++) {
		uint32_t index = (uint32_t)prng_below(&prng, FLOWS);
		uint64_t key = prng_below(&prng, 3000);
		uint16_t agent = (uint16_t)prng_below(&prng, 3);

		if (held[index].busy) {
			assert_int_equal(take(&table, held[index].agent, held[index].key), index);
			flow_table_idle(&table, index);
			held[index].busy = false;
			busy--;
		}
		if (busy == FLOWS)
			continue;
		index = take(&table, agent, key);
		assert_true(index < FLOWS);
		assert_true(table.flow[index].key == key && table.flow[index].agent == agent);
		if (held[index].busy) {
			assert_true(held[index].key == key && held[index].agent == agent);
			continue;
		}
		held[index].key = key;
		held[index].agent = agent;
		held[index].busy = true;
		busy++;
	}
	flow_table_close(&table);
}

static uint32_t longest_chain(const struct flow_table *table)
{
	uint32_t longest = 0;

	for (uint32_t bucket = 0; bucket < 1u << table->bucket_bits; bucket++) {
		uint32_t length = 0;

		for (uint32_t i = table->bucket[bucket]; i != FLOW_NONE;
		     i = table->flow[i].bucket_next)
			length++;
		longest = length > longest ? length : longest;
	}
	return longest;
}

/*
 * Returns a key with two equal halves, or one whose lower bits are all 0. Simple sums of the bits
 * of such keys are equal.
 */
static uint64_t chosen_key(struct prng *prng, unsigned int way)
{
	uint64_t half = prng_below(prng, UINT32_MAX);

	return way ? half << 20 : half << 32 | half;
}

static void test_chosen_keys_do_not_collide(void **state)
{
	struct flow_table table;
	struct prng prng;

	for (uint64_t seed = 0; seed < 100; seed++) {
		prng_seed(&prng, seed);
		assert_int_equal(flow_table_open(&table, FLOWS, seed), 0);
		for (uint32_t i = 0; i < FLOWS; i++)
			assert_true(take(&table, 1, chosen_key(&prng, seed % 2)) < FLOWS);
		assert_in_range(longest_chain(&table), 1, 16);
		flow_table_close(&table);
	}
}

static uint32_t bucket_with(const struct flow_table *table, uint32_t flow)
{
	uint32_t bucket = 0;

	while (table->bucket[bucket] != flow)
		bucket++;
	return bucket;
}

/* Sixteen successive keys are found in successive buckets, which take one cache line or two. */
static void test_neighbours_lie_side_by_side(void **state)
{
	struct flow_table table;
	uint32_t first;

	for (uint64_t seed = 0; seed < 100; seed++) {
		assert_int_equal(flow_table_open(&table, FLOWS, seed), 0);
		first = bucket_with(&table, take(&table, 3, 16 * seed));
		for (uint32_t i = 1; i < 16; i++)
			assert_int_equal(bucket_with(&table, take(&table, 3, 16 * seed + i)),
					 (first + i) % (1u << table.bucket_bits));
		flow_table_close(&table);
	}
}

/*
 * Keys that share a bucket with one seed do not share one with another. So nobody can choose keys
 * that collide without knowing the seed.
 */
static void test_the_seed_decides(void **state)
{
	struct flow_table one, other;
	uint32_t moved = 0;

	assert_int_equal(flow_table_open(&one, FLOWS, 1), 0);
	assert_int_equal(flow_table_open(&other, FLOWS, 2), 0);
	for (uint64_t key = 0; key < FLOWS; key++) {
		take(&one, 0, key);
		take(&other, 0, key);
	}
	for (uint32_t bucket = 0; bucket < 1u << one.bucket_bits; bucket++)
		moved += one.bucket[bucket] != other.bucket[bucket];
	assert_in_range(moved, FLOWS / 2, 1u << one.bucket_bits);
	flow_table_close(&one);
	flow_table_close(&other);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_same_key_same_flow),
	cmocka_unit_test(test_idle_is_remembered),
	cmocka_unit_test(test_longest_idle_goes_first),
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_chosen_keys_do_not_collide),
	cmocka_unit_test(test_neighbours_lie_side_by_side),
	cmocka_unit_test(test_the_seed_decides),
};

TEST_MAIN(tests, NULL, NULL)
