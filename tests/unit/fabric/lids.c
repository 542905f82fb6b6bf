/* SPDX-License-Identifier: BSD-2-Clause */
/* Discoveries by LID find what those by directed routes find, whatever the LIDs are worth. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <infiniband/mad.h>

#include "fake_fabric.h"

#define SEEDS  100
#define LEAFS  4
#define SPINES 3
#define NODES  (2 * LEAFS + SPINES)

/* Builds a fat tree with a host at each leaf, which passes SMPs on by LID. */
static void build(struct fake *fake, uint64_t seed)
{
	fake_fat_tree(fake, seed, LEAFS, SPINES);
	fake->is_lid_routed = true;
}

/* Discovers a fabric by LID, and expects to find what is found by directed routes. */
static void expect_the_same(struct fake *fake, struct discovery *discovery)
{
	struct discovery directed;
	char *expected, *found;

	fake_discover(fake, discovery);
	assert_true(discovery_complete(discovery));
	assert_int_equal(discovery->waiting, 0);
	found = fake_topology(discovery);
	fake->is_lid_routed = false;
	fake_discover(fake, &directed);
	expected = fake_topology(&directed);
	assert_string_equal(strstr(found, "\n\n"), strstr(expected, "\n\n"));
	free(found);
	free(expected);
	fake_close(&directed);
}

static void test_nodes_are_asked_by_lid(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;

		build(&fake, seed);
		expect_the_same(&fake, &discovery);
		assert_int_equal(discovery.lids.trusted, NODES - 1);
		assert_int_equal(discovery.lids.refused, 0);
		assert_int_equal(discovery.lids.lost, 0);
		assert_int_equal(discovery.lids.mixed, LID_TRUSTED);
		assert_int_equal(discovery.lids.requests, fake.asked_by_lid);
		/* Each switch is asked for NodeInfo, two attributes and its ports but port 0. */
		assert_true(fake.asked_by_lid >= (LEAFS + SPINES) * (1 + 2 + 8));
		fake_close(&discovery);
	}
}

static void test_no_lids(void **state)
{
	struct discovery discovery;
	struct fake fake;

	build(&fake, 1);
	for (unsigned int n = 0; n < fake.count; n++)
		fake.node[n].has_no_lid = true;
	expect_the_same(&fake, &discovery);
	assert_int_equal(fake.asked_by_lid, 0);
	assert_int_equal(discovery.lids.trusted, 0);
	fake_close(&discovery);
}

static struct fake_node *lead_nowhere(struct fake *fake, const struct query *query)
{
	return NULL;
}

static struct fake_node *lead_astray(struct fake *fake, const struct query *query)
{
	return &fake->node[query->lid % fake->count];
}

static struct fake_node *lead_to_the_first(struct fake *fake, const struct query *query)
{
	return fake_leaf(fake, 0);
}

static struct fake_node *node_of(struct fake *fake, const struct query *query)
{
	return query->lid <= fake->count ? &fake->node[query->lid - 1] : NULL;
}

/* Has NodeInfo alone answered by LID. */
static struct fake_node *lead_once(struct fake *fake, const struct query *query)
{
	if (query->attribute != IB_ATTR_NODE_INFO)
		return NULL;
	return node_of(fake, query);
}

/* Passes on no request that is to go on by a directed route. */
static struct fake_node *lead_to_the_end(struct fake *fake, const struct query *query)
{
	return query_class(query) == IB_SMI_CLASS ? node_of(fake, query) : NULL;
}

static struct fake_node *lead_at_random(struct fake *fake, const struct query *query)
{
	if (prng_below(&fake->prng, 3))
		return node_of(fake, query);
	return prng_below(&fake->prng, 2) ? NULL : &fake->node[prng_below(&fake->prng, NODES)];
}

static void test_lids_of_no_use(void **state)
{
	struct fake_node *(*const by_lid[])(struct fake *, const struct query *) = {
		lead_nowhere, lead_astray, lead_to_the_first, lead_once
	};

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;

		build(&fake, seed);
		fake.by_lid = by_lid[seed % 4];
		expect_the_same(&fake, &discovery);
		/* A LID that leads to the first leaf is that leaf's. */
		assert_in_range(discovery.lids.trusted, 0, 1);
		assert_true(discovery.lids.refused >= NODES - 2);
		fake_close(&discovery);
	}
}

static void test_no_routes_beyond_a_lid(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;

		build(&fake, seed);
		fake.by_lid = lead_to_the_end;
		expect_the_same(&fake, &discovery);
		assert_int_equal(discovery.lids.mixed, LID_REFUSED);
		assert_int_equal(discovery.lids.lost, 1);
		assert_int_equal(discovery.lids.trusted, NODES - 1);
		fake_close(&discovery);
	}
}

static void test_lid_of_two_nodes(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;

		build(&fake, seed);
		fake_leaf(&fake, 2)->info.node_guid = fake_leaf(&fake, 1)->info.node_guid + 1;
		expect_the_same(&fake, &discovery);
		assert_int_equal(discovery.lids.refused, 2);
		assert_int_equal(discovery.lids.trusted, NODES - 3);
		fake_close(&discovery);
	}
}

/* Each request is put back once before it is sent. */
static void test_put_back(void **state)
{
	struct discovery discovery;
	struct query *query;
	struct fake fake;

	build(&fake, 1);
	discovery_start(&discovery, fabric_new());
	discovery.lids.wanted = true;
	while ((query = discovery_take(&discovery))) {
		discovery_put_back(&discovery, query);
		query = discovery_take(&discovery);
		assert_non_null(query);
		fake_answer(&fake, &discovery, query);
	}
	assert_int_equal(discovery.waiting, 0);
	assert_int_equal(discovery.fabric->node_count, NODES);
	assert_int_equal(discovery.lids.trusted, NODES - 1);
	assert_int_equal(discovery.lids.mixed, LID_TRUSTED);
	fake_close(&discovery);
}

/* Stops a discovery after each number of answers. */
static void test_stop(void **state)
{
	bool is_done = false;

	for (unsigned int answers = 0; !is_done; answers++) {
		struct query *query, *last = NULL;
		struct discovery discovery;
		struct fake fake;

		build(&fake, 1);
		discovery_start(&discovery, fabric_new());
		discovery.lids.wanted = true;
		for (unsigned int i = 0; i < answers && (query = discovery_take(&discovery)); i++)
			fake_answer(&fake, &discovery, query);
		last = discovery_take(&discovery);
		is_done = !last;
		discovery_stop(&discovery);
		assert_int_equal(discovery.waiting, 0);
		if (last)
			fake_answer(&fake, &discovery, last);
		assert_int_equal(discovery.waiting, 0);
		assert_null(discovery_take(&discovery));
		fake_close(&discovery);
	}
}

/* Spoils and loses replies, also those by LID, in the middle of a sweep. */
static size_t flip_bits(struct fake *fake, const struct query *query, uint8_t *mad)
{
	if (prng_below(&fake->prng, 4))
		return FAKE_MAD_BYTES;
	for (unsigned int i = 1 + prng_below(&fake->prng, 8); i > 0; i--)
		mad[prng_below(&fake->prng, FAKE_MAD_BYTES)] ^= 1u << prng_below(&fake->prng, 8);
	return prng_below(&fake->prng, 8) ? FAKE_MAD_BYTES
					  : prng_below(&fake->prng, FAKE_MAD_BYTES + 1);
}

static void test_spoilt_replies(void **state)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		struct discovery discovery;
		struct fake fake;

		build(&fake, seed);
		fake.by_lid = lead_at_random;
		if (seed % 2)
			fake.spoil = flip_bits;
		fake_discover(&fake, &discovery);
		assert_int_equal(discovery.waiting, 0);
		fake_close(&discovery);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nodes_are_asked_by_lid),
	cmocka_unit_test(test_no_lids),
	cmocka_unit_test(test_lids_of_no_use),
	cmocka_unit_test(test_no_routes_beyond_a_lid),
	cmocka_unit_test(test_lid_of_two_nodes),
	cmocka_unit_test(test_put_back),
	cmocka_unit_test(test_stop),
	cmocka_unit_test(test_spoilt_replies),
};

TEST_MAIN(tests, NULL, NULL)
