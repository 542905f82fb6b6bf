/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cables between switches: one end asks for NodeInfo, and the other proves that it is the far end.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mad.h>
#include <madring.h>

#include "fake_fabric.h"

#define SEEDS  200
#define LEAFS  5
#define SPINES 4

#define RETURN_PATH 192

/* The cables of the fabric: each leaf has one host, and one to each spine. */
#define CABLES (LEAFS + LEAFS * SPINES)

/* The cables that nothing but the far end need tell of: not those by which nodes are found. */
#define EXTRA_CABLES (CABLES - (2 * LEAFS + SPINES - 1))

static struct fake_node *spine_of(struct fake *fake, unsigned int spine)
{
	return fake_spine(fake, LEAFS, spine);
}

/* Expects that the whole fabric was found. */
static void check_whole(const struct discovery *discovery)
{
	assert_true(discovery_complete(discovery));
	assert_int_equal(discovery->fabric->node_count, 2 * LEAFS + SPINES);
	assert_int_equal(fabric_cables(discovery->fabric), CABLES);
}

static void test_cable_costs_one_request(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;

		fake_fat_tree(&fake, seed, LEAFS, SPINES);
		fake_discover(&fake, &discovery);
		check_whole(&discovery);
		assert_int_equal(fake.asked_node_info, 1 + CABLES);
		assert_int_equal(fake.asked_back, EXTRA_CABLES);
		assert_int_equal(discovery.cables.proved, EXTRA_CABLES);
		fake_close(&discovery);
	}
}

static void test_switches_that_send_nothing_back(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;

		fake_fat_tree(&fake, seed, LEAFS, SPINES);
		for (unsigned int spine = 0; spine < SPINES; spine++)
			spine_of(&fake, spine)->sends_none_back = true;
		fake_discover(&fake, &discovery);
		check_whole(&discovery);
		assert_int_equal(fake.asked_node_info, 1 + CABLES + EXTRA_CABLES);
		assert_int_equal(discovery.cables.proved, 0);
		assert_int_equal(discovery.cables.lost, fake.asked_back);
		fake_close(&discovery);
	}
}

/* Tells of a return path by another port of the far end. */
static size_t change_return_path(struct fake *fake, const struct query *query, uint8_t *mad)
{
	struct route route;

	query_route(query, &route);
	if (query->back)
		mad[RETURN_PATH + route.hops - 1]++;
	return FAKE_MAD_BYTES;
}

static size_t cut_return_path(struct fake *fake, const struct query *query, uint8_t *mad)
{
	return query->back ? RETURN_PATH : FAKE_MAD_BYTES;
}

static size_t refuse_way_back(struct fake *fake, const struct query *query, uint8_t *mad)
{
	if (query->back)
		mad[5] = 0x1c;
	return FAKE_MAD_BYTES;
}

static void test_cables_without_proof(void **state)
{
	size_t (*const spoil[])(struct fake *, const struct query *,
				uint8_t *) = { change_return_path, cut_return_path,
					       refuse_way_back };

	for (size_t i = 0; i < sizeof(spoil) / sizeof(spoil[0]); i++) {
		struct discovery discovery;
		struct fake fake;

		fake_fat_tree(&fake, i + 1, LEAFS, SPINES);
		fake.spoil = spoil[i];
		fake_discover(&fake, &discovery);
		check_whole(&discovery);
		assert_int_equal(fake.asked_node_info, 1 + CABLES + EXTRA_CABLES);
		assert_int_equal(discovery.cables.proved, 0);
		fake_close(&discovery);
	}
}

/*
 * Plugs the cables of the first two leafs at the last spine the other way round, once both spine
 * ports have told where they lead.
 */
static size_t plug_elsewhere(struct fake *fake, const struct query *query, uint8_t *mad)
{
	static unsigned int told;
	struct fake_node *spine = spine_of(fake, SPINES - 1);

	if (query->attribute != IB_ATTR_NODE_INFO || !query->via ||
	    query->via->public.guid != spine->info.node_guid)
		return FAKE_MAD_BYTES;
	told++;
	if (told % (LEAFS - 1) == 0) {
		fake_cable(fake_leaf(fake, 1), SPINES + 1, spine, 3);
		fake_cable(fake_leaf(fake, 2), SPINES + 1, spine, 2);
	}
	return FAKE_MAD_BYTES;
}

static void test_cables_plugged_elsewhere(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;

		fake_fat_tree(&fake, seed, LEAFS, SPINES);
		fake.spoil = plug_elsewhere;
		fake_discover(&fake, &discovery);
		assert_false(discovery_complete(&discovery));
		assert_non_null(fake_problem(&discovery, MADRING_PROBLEM_CONFLICT));
		fake_close(&discovery);
	}
}

/* Gives two leafs one GUID. The second one is joined where the first has its host. */
static void test_leafs_with_one_guid(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake_node *twin;
		struct fake fake;

		fake_fat_tree(&fake, seed, LEAFS, SPINES);
		twin = fake_add(&fake, MADRING_NODE_SWITCH, 8, "twin");
		twin->info.node_guid = fake_leaf(&fake, 3)->info.node_guid;
		twin->info.port_guid = fake_leaf(&fake, 3)->info.port_guid;
		twin->info.system_guid = fake_leaf(&fake, 3)->info.system_guid;
		fake_cable(twin, 1, spine_of(&fake, 1), 7);
		fake_discover(&fake, &discovery);
		assert_non_null(fake_problem(&discovery, MADRING_PROBLEM_CONFLICT));
		fake_close(&discovery);
	}
}

static void give_no_reply(struct discovery *discovery, struct query *const query[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		discovery_no_reply(discovery, query[i], -ETIMEDOUT);
}

/*
 * A spine does not answer the first leaf. What is behind the others waits for that answer, until
 * the discovery is hurried.
 */
static void test_hurry_ends_the_wait_for_a_silent_spine(void **state)
{
	struct query *query, *silent[64];
	struct discovery discovery;
	size_t count = 0, hurried = 0;
	struct fake fake;

	fake_fat_tree(&fake, 1, LEAFS, SPINES);
	discovery_start(&discovery, fabric_new());
	for (;;) {
		query = discovery_take(&discovery);
		if (!query && !discovery_in_the_way(&discovery))
			break;
		if (!query) {
			assert_in_range(discovery_in_the_way(&discovery), 1, count);
			discovery_hurry(&discovery);
			hurried++;
		} else if (query->via &&
			   query->via->public.guid == fake_leaf(&fake, 0)->info.node_guid &&
			   query->exit == 3 && !query->node) {
			silent[count++] = query;
		} else {
			fake_answer(&fake, &discovery, query);
		}
	}
	assert_int_equal(count, 1);
	/* The other spines, the leafs behind these, and the spine itself by way of those. */
	assert_int_equal(hurried, 3);
	assert_int_equal(discovery.fabric->node_count, 2 * LEAFS + SPINES);
	give_no_reply(&discovery, silent, count);
	assert_null(discovery_take(&discovery));
	fake_close(&discovery);
}

static void test_stop_drops_held_requests(void **state)
{
	struct discovery discovery;
	struct query *query;
	struct fake fake;

	fake_fat_tree(&fake, 1, LEAFS, SPINES);
	discovery_start(&discovery, fabric_new());
	while (!discovery_in_the_way(&discovery)) {
		query = discovery_take(&discovery);
		assert_non_null(query);
		fake_answer(&fake, &discovery, query);
	}
	discovery_stop(&discovery);
	assert_int_equal(discovery.waiting, 0);
	assert_int_equal(discovery_in_the_way(&discovery), 0);
	assert_null(discovery_take(&discovery));
	fake_close(&discovery);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_cable_costs_one_request),
	cmocka_unit_test(test_switches_that_send_nothing_back),
	cmocka_unit_test(test_cables_without_proof),
	cmocka_unit_test(test_cables_plugged_elsewhere),
	cmocka_unit_test(test_leafs_with_one_guid),
	cmocka_unit_test(test_hurry_ends_the_wait_for_a_silent_spine),
	cmocka_unit_test(test_stop_drops_held_requests),
};

TEST_MAIN(tests, NULL, NULL)
