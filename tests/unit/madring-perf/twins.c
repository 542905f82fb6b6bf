/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests which ports are twins of another node's, and which node keeps the GUID. */
#include "cmocka_all.h"

#include "fabric/graph.h"
#include "madring-perf/collection.h"

#define ADAPTER(guid) guid, MADRING_NODE_CA
#define SWITCH(guid)  guid, MADRING_NODE_SWITCH

/* Adds a node whose ports 1, 2, ... have the GUIDs in @guids, up to a 0. */
static void add(struct madring_fabric *fabric, uint64_t node_guid, enum madring_node_type type,
		const uint64_t *guids)
{
	struct madring_node_info info = { .type = type, .node_guid = node_guid };
	struct node *node;

	while (guids[info.port_count])
		info.port_count++;
	node = fabric_add(fabric, &info, &(struct route){ 0 });
	assert_non_null(node);
	for (unsigned int p = 1; p <= info.port_count; p++) {
		node->port[p].public.guid = guids[p - 1];
		node->port[p].public.found = true;
		port_combine(&node->port[p]);
	}
}

#define GUIDS(...) (const uint64_t[]){ __VA_ARGS__, 0 }

static struct collection *collected(const struct madring_fabric *fabric)
{
	struct collection *collection = collection_new(fabric);

	for (size_t i = 0; i < collection->node_count; i++)
		collection->nodes[i].wanted = true;
	return collection;
}

/* Checks that exactly the listed ports are marked. */
static void check_marks(const struct collection *collection)
{
	for (size_t i = 0; i < collection->node_count; i++) {
		const struct node_counters *node = &collection->nodes[i];

		for (size_t p = 0; p < node->port_count; p++) {
			struct twin twin = { .guid = node->ports[p].port->guid,
					     .node_guid = node->node->guid };

			assert_int_equal(node->ports[p].twin,
					 twins_have(&collection->twins, &twin));
		}
	}
}

/* Finds the twins of the fabric, which is freed, and compares them with what they should be. */
static void check(struct madring_fabric *fabric, const struct twin *expected, size_t count)
{
	struct collection *collection = collected(fabric);
	const struct twin *found;

	assert_true(collection_complete(collection));
	twins_find(collection);
	assert_int_equal(collection->twins.count, count);
	for (size_t i = 0; i < count; i++) {
		found = &collection->twins.list[i];
		assert_int_equal(found->guid, expected[i].guid);
		assert_int_equal(found->node_guid, expected[i].node_guid);
		assert_int_equal(found->keeper_guid, expected[i].keeper_guid);
		assert_int_equal(found->port, expected[i].port);
	}
	check_marks(collection);
	assert_int_equal(collection_complete(collection), !count);
	collection_free(collection);
	fabric_free(fabric);
}

static void test_fabric_without_twins(void **state)
{
	struct madring_fabric *fabric = fabric_new();

	check(fabric_new(), NULL, 0);
	add(fabric, SWITCH(1), GUIDS(1, 1, 1));
	add(fabric, ADAPTER(2), GUIDS(3, 4));
	/* A node may have one GUID at two ports. */
	add(fabric, ADAPTER(3), GUIDS(5, 6, 5));
	check(fabric, NULL, 0);
}

/* The node with the lowest GUID keeps a port GUID, wherever it stands and whatever its type is. */
static void test_keeper(void **state)
{
	static const struct twin expected[] = { { 0x50, 0x20, 0x10, 2 }, { 0x50, 0x30, 0x10, 0 } };
	struct madring_fabric *fabric = fabric_new();

	add(fabric, SWITCH(0x30), GUIDS(0x50, 0x50, 0x50));
	add(fabric, ADAPTER(0x20), GUIDS(0x51, 0x50));
	add(fabric, ADAPTER(0x10), GUIDS(0x50));
	add(fabric, ADAPTER(0x40), GUIDS(0x52));
	check(fabric, expected, 2);
}

/* An adapter keeps the GUIDs that it alone has. Several nodes may keep those that it shares. */
static void test_by_port(void **state)
{
	static const struct twin expected[] = { { 0x51, 0x30, 0x10, 1 }, { 0x52, 0x30, 0x20, 2 } };
	struct madring_fabric *fabric = fabric_new();

	add(fabric, ADAPTER(0x10), GUIDS(0x50, 0x51));
	add(fabric, ADAPTER(0x20), GUIDS(0x52, 0x53));
	add(fabric, ADAPTER(0x30), GUIDS(0x51, 0x52, 0x54, 0x51));
	check(fabric, expected, 2);
}

/* Nodes that another collector asks, or that the options leave out, have no series here. */
static void test_not_asked(void **state)
{
	struct madring_fabric *fabric = fabric_new();
	struct collection *collection;

	add(fabric, ADAPTER(0x10), GUIDS(0x50));
	add(fabric, ADAPTER(0x20), GUIDS(0x50));
	add(fabric, ADAPTER(0x30), GUIDS(0x50));
	collection = collected(fabric);
	collection->nodes[0].wanted = false;
	twins_find(collection);
	assert_int_equal(collection->twins.count, 1);
	assert_int_equal(collection->twins.list[0].node_guid, 0x30);
	assert_int_equal(collection->twins.list[0].keeper_guid, 0x20);
	check_marks(collection);
	collection_free(collection);
	fabric_free(fabric);
}

/* If very many nodes have one GUID, all but one are twins. */
static void test_many(void **state)
{
	const uint64_t count = 50000;
	struct madring_fabric *fabric = fabric_new();
	struct collection *collection;

	for (uint64_t guid = count; guid; guid--)
		add(fabric, ADAPTER(guid), GUIDS(0x50));
	collection = collected(fabric);
	twins_find(collection);
	assert_int_equal(collection->twins.count, count - 1);
	for (size_t i = 0; i < count - 1; i++) {
		assert_int_equal(collection->twins.list[i].node_guid, i + 2);
		assert_int_equal(collection->twins.list[i].keeper_guid, 1);
	}
	check_marks(collection);
	collection_free(collection);
	fabric_free(fabric);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_fabric_without_twins),
	cmocka_unit_test(test_keeper),
	cmocka_unit_test(test_by_port),
	cmocka_unit_test(test_not_asked),
	cmocka_unit_test(test_many),
};

TEST_MAIN(tests, NULL, NULL)
