/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A discovery of which any one allocation fails ends with -ENOMEM and leaves no memory behind. Only
 * one of which none fails has a fabric.
 */
#include "cmocka_all.h"

#include <errno.h>

#include "fabric/order.h"
#include "fake_fabric.h"
#include "unit/failing.h"

/* All hosts have one GUID. There are more problems than the list has room for at first. */
#define SWITCHES 7
#define HOSTS	 10
#define PROBLEMS (SWITCHES * HOSTS - 1)

static void build_tree(struct fake *fake)
{
	fake_fat_tree(fake, 1, 4, 3);
}

static void build_lid_routed_tree(struct fake *fake)
{
	build_tree(fake);
	fake->is_lid_routed = true;
}

/* Builds a chain of switches whose hosts all have one GUID. */
static void build_conflicts(struct fake *fake)
{
	struct fake_node *last;
	uint8_t port = 1;

	fake_open(fake, 1);
	last = fake_add(fake, MADRING_NODE_CA, 1, "local");
	for (unsigned int s = 0; s < SWITCHES; s++) {
		struct fake_node *node = fake_add(fake, MADRING_NODE_SWITCH, FAKE_PORTS, "switch");

		fake_cable(last, port, node, 1);
		last = node;
		port = 2;
		for (uint8_t h = 0; h < HOSTS; h++) {
			struct fake_node *host = fake_add(fake, MADRING_NODE_CA, 1, "host");

			host->info.node_guid = 0x123456;
			fake_cable(node, h + 3, host, 1);
		}
	}
}

/* Answers all queries. There are always two in flight, if there can be. */
static void answer_all(struct fake *fake, struct discovery *discovery)
{
	struct query *query, *last = NULL;

	while ((query = discovery_take(discovery)) || last) {
		if (last)
			fake_answer(fake, discovery, last);
		last = query;
	}
}

/* Discovers a fabric. Returns 0, or -ENOMEM when there is nothing to close. */
static int discover(struct fake *fake, struct discovery *discovery)
{
	struct madring_fabric *fabric = fabric_new();
	int error;

	if (!fabric)
		return -ENOMEM;
	discovery_start(discovery, fabric);
	discovery->lids.wanted = fake->is_lid_routed;
	answer_all(fake, discovery);
	discovery_settle(discovery);
	answer_all(fake, discovery);
	error = discovery->error;
	if (error)
		assert_false(discovery_complete(discovery));
	else
		error = order_nodes(fabric);
	if (!error)
		fabric_settle(fabric);
	else
		fake_close(discovery);
	return error;
}

/* Fails each allocation in turn. Returns how many there are. */
static unsigned int fail_each(void (*build)(struct fake *fake), size_t problems)
{
	struct discovery expected = { 0 }, discovery = { 0 };
	unsigned int fail = 0;
	struct fake fake;
	long before;
	int error;

	build(&fake);
	assert_int_equal(discover(&fake, &expected), 0);
	assert_int_equal(expected.problems.count, problems);
	before = living_allocations;
	do {
		fail_at = ++fail;
		error = discover(&fake, &discovery);
		assert_int_equal(error, fail_at ? 0 : -ENOMEM);
		if (error)
			assert_int_equal(living_allocations, before);
	} while (error);
	fail_at = 0;
	assert_int_equal(discovery_complete(&discovery), !problems);
	assert_int_equal(discovery.problems.count, problems);
	assert_int_equal(madring_fabric_compare(expected.fabric, discovery.fabric, NULL, NULL), 0);
	fake_close(&discovery);
	assert_int_equal(living_allocations, before);
	fake_close(&expected);
	return fail - 1;
}

static void test_directed(void **state)
{
	/* The fabric, its list, each node, each query, the order. */
	assert_true(fail_each(build_tree, 0) > 2 + 11 + 11 * 3 + 7 * 8);
}

static void test_by_lid(void **state)
{
	assert_true(fail_each(build_lid_routed_tree, 0) > 2 + 11 + 11 * 3 + 7 * 8 + 1);
}

static void test_conflicts(void **state)
{
	/* Each conflict has a problem, and a query for a description. */
	assert_true(fail_each(build_conflicts, PROBLEMS) > 2 * PROBLEMS);
}

static void build_silent_hosts(struct fake *fake)
{
	build_tree(fake);
	for (unsigned int n = 1; n < fake->count; n++)
		fake->node[n].dead = fake->node[n].info.type == MADRING_NODE_CA;
}

static void test_silent_hosts(void **state)
{
	fail_each(build_silent_hosts, 3);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_directed),
	cmocka_unit_test(test_by_lid),
	cmocka_unit_test(test_conflicts),
	cmocka_unit_test(test_silent_hosts),
};

TEST_MAIN(tests, NULL, NULL)
