/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests which nodes are gone, how long they are remembered, and how many of them. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/graph.h"
#include "madring-perf/known_nodes.h"

#define HOUR_NS (UINT64_C(3600) * 1000000000)

/* Updates @known by a collection that found the nodes of these GUIDs, and was to ask them all. */
static void take(struct known_nodes *known, uint64_t first, uint64_t count, bool looked_everywhere,
		 uint64_t now_ns)
{
	struct madring_fabric *fabric = fabric_new();
	struct collection *collection;

	for (uint64_t guid = first; guid < first + count; guid++) {
		struct madring_node_info info = { .type = MADRING_NODE_CA,
						  .node_guid = guid,
						  .port_count = 1 };
		struct node *node = fabric_add(fabric, &info, &(struct route){ 0 });

		assert_non_null(node);
		snprintf(node->description, sizeof(node->description), "node %d", (int)guid);
	}
	collection = collection_new(fabric);
	for (size_t i = 0; i < collection->node_count; i++)
		collection->nodes[i].wanted = true;
	known_nodes_update(known, collection, NULL, looked_everywhere, now_ns);
	collection_free(collection);
	fabric_free(fabric);
}

static void update(struct known_nodes *known, uint64_t first, uint64_t count, uint64_t now_ns)
{
	take(known, first, count, true, now_ns);
}

static void check_gone(const struct known_nodes *known, size_t count, uint64_t oldest)
{
	const struct known_node *node;
	size_t found = 0;

	assert_int_equal(known->gone_count, count);
	TAILQ_FOREACH (node, &known->gone, entry)
		found++;
	assert_int_equal(found, count);
	if (count)
		assert_int_equal(TAILQ_FIRST(&known->gone)->guid, oldest);
}

static void test_gone_and_back(void **state)
{
	struct known_nodes known;

	known_nodes_init(&known);
	update(&known, 1, 10, HOUR_NS);
	check_gone(&known, 0, 0);
	update(&known, 2, 9, 2 * HOUR_NS);
	check_gone(&known, 1, 1);
	assert_string_equal(TAILQ_FIRST(&known.gone)->name, "node 1");
	assert_int_equal(TAILQ_FIRST(&known.gone)->type, MADRING_NODE_CA);
	update(&known, 3, 8, 3 * HOUR_NS);
	check_gone(&known, 2, 1);
	update(&known, 1, 1, 4 * HOUR_NS);
	check_gone(&known, 9, 2);
	update(&known, 1, 10, 5 * HOUR_NS);
	check_gone(&known, 0, 0);
	known_nodes_free(&known);
}

/* A discovery that its deadline ended has missed nodes that may be there. */
static void test_part_of_the_fabric(void **state)
{
	struct known_nodes known;

	known_nodes_init(&known);
	update(&known, 1, 10, HOUR_NS);
	update(&known, 2, 9, 2 * HOUR_NS);
	take(&known, 3, 1, false, 3 * HOUR_NS);
	check_gone(&known, 1, 1);
	/* Such a discovery can find a node that was gone. */
	take(&known, 1, 1, false, 4 * HOUR_NS);
	check_gone(&known, 0, 0);
	update(&known, 1, 9, 5 * HOUR_NS);
	check_gone(&known, 1, 10);
	known_nodes_free(&known);
}

/* A node that comes back and goes again is remembered as long as if it were the first time. */
static void test_for_how_long(void **state)
{
	struct known_nodes known;
	uint64_t start = HOUR_NS;

	known_nodes_init(&known);
	update(&known, 1, 3, start);
	update(&known, 3, 1, start);
	update(&known, 2, 2, start + GONE_NS - 1);
	check_gone(&known, 1, 1);
	update(&known, 3, 1, start + GONE_NS);
	check_gone(&known, 1, 2);
	update(&known, 3, 1, start + 2 * GONE_NS - 1);
	check_gone(&known, 1, 2);
	update(&known, 3, 1, start + 2 * GONE_NS);
	check_gone(&known, 0, 0);
	known_nodes_free(&known);
}

static void test_how_many(void **state)
{
	struct known_nodes known;

	known_nodes_init(&known);
	for (uint64_t first = 1; first < 4 * GONE_MAX; first += GONE_MAX / 2)
		update(&known, first, GONE_MAX / 2, HOUR_NS + first);
	check_gone(&known, GONE_MAX, 1 + 5 * (uint64_t)GONE_MAX / 2);
	known_nodes_free(&known);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_gone_and_back),
	cmocka_unit_test(test_part_of_the_fabric),
	cmocka_unit_test(test_for_how_long),
	cmocka_unit_test(test_how_many),
};

TEST_MAIN(tests, NULL, NULL)
