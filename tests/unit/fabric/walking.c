/* SPDX-License-Identifier: BSD-2-Clause */
/* How nodes and ports of a fabric are found, in one order; and routes as text. */
#include "unit/saved_fabric.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_fabric.h"

#define SEEDS 50

/* The nodes by their places in the fake. */
enum { HOST, A, B, DUAL };

/* host[1] - a[1]   a[2] = b[2], a[3] = b[3]   a[4] - dual[2]   b[4] - dual[1] */
static void build(struct fake *fake, uint64_t seed)
{
	struct fake_node *node = fake->node;

	fake_open(fake, seed);
	fake_add(fake, MADRING_NODE_CA, 1, "host");
	fake_add(fake, MADRING_NODE_SWITCH, 8, "a");
	fake_add(fake, MADRING_NODE_SWITCH, 8, "b");
	fake_add(fake, MADRING_NODE_CA, 2, "dual");
	fake_cable(&node[HOST], 1, &node[A], 1);
	fake_cable(&node[A], 2, &node[B], 2);
	fake_cable(&node[A], 3, &node[B], 3);
	fake_cable(&node[A], 4, &node[DUAL], 2);
	fake_cable(&node[B], 4, &node[DUAL], 1);
}

/* A host is entered by the end of its route, whatever was answered first. */
static void test_entry(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		const struct madring_node *dual;
		struct discovery discovery;
		struct fake fake;

		build(&fake, seed);
		fake_discover(&fake, &discovery);
		dual = madring_fabric_node_by_name(discovery.fabric, "dual");
		assert_non_null(dual);
		assert_int_equal(dual->entry, 2);
		assert_int_equal(dual->port_guid, 0x402);
		assert_ptr_equal(madring_node_end_port(dual), madring_node_port_by_number(dual, 2));
		fake_close(&discovery);
	}
}

static void test_find_nodes(void **state)
{
	const struct madring_node *b;
	struct madring_fabric *fabric;
	struct discovery discovery;
	struct fake fake;

	build(&fake, 1);
	fake_discover(&fake, &discovery);
	fabric = discovery.fabric;
	b = madring_fabric_node_by_guid(fabric, 0x300);
	assert_non_null(b);
	assert_ptr_equal(madring_fabric_node_by_name(fabric, "b"), b);
	assert_ptr_equal(madring_fabric_node_by_route(fabric, "0,1,3"), b);
	assert_ptr_equal(madring_fabric_node(fabric, madring_node_place(b)), b);
	assert_null(madring_fabric_node_by_guid(fabric, 0x301));
	assert_null(madring_fabric_node_by_name(fabric, ""));
	assert_null(madring_fabric_node_by_route(fabric, "0,1,5"));
	assert_null(madring_fabric_node_by_route(fabric, "0,1,99"));
	assert_null(madring_fabric_node_by_route(fabric, "1"));
	assert_null(madring_fabric_node(fabric, 4));
	fake_close(&discovery);
}

static void test_find_ports(void **state)
{
	const struct madring_node *a, *dual;
	struct madring_fabric *fabric;
	struct discovery discovery;
	struct fake fake;

	build(&fake, 1);
	fake_discover(&fake, &discovery);
	fabric = discovery.fabric;
	a = madring_fabric_node_by_name(fabric, "a");
	dual = madring_fabric_node_by_name(fabric, "dual");
	assert_ptr_equal(madring_fabric_port_by_guid(fabric, 0x401),
			 madring_node_port_by_number(dual, 1));
	assert_ptr_equal(madring_fabric_port_by_guid(fabric, 0x200),
			 madring_node_port_by_number(a, 0));
	assert_ptr_equal(madring_fabric_port_by_lid(fabric, 2), madring_node_port_by_number(a, 0));
	assert_null(madring_fabric_port_by_guid(fabric, 0x999));
	assert_null(madring_fabric_port_by_lid(fabric, 0));
	assert_null(madring_fabric_port_by_lid(fabric, 99));
	assert_null(madring_node_port_by_number(dual, 3));
	fake_close(&discovery);
}

/* Reads a route of MADRING_MAX_HOPS hops, with something behind it. */
static void expect_long_route(const char *behind, int result)
{
	char text[MADRING_ROUTE_TEXT_BYTES] = "0";
	uint8_t path[MADRING_MAX_HOPS + 1];
	size_t length = 1;

	for (unsigned int hop = 0; hop < MADRING_MAX_HOPS; hop++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, ",1");
	snprintf(text + length, sizeof(text) - length, "%s", behind);
	assert_int_equal(madring_route_read(text, path), result);
}

static void test_routes(void **state)
{
	static const char *const wrong[] = { "", "1", "00", "0,", "0,0", "0,255", "0,1,", "0,1x" };
	uint8_t path[MADRING_MAX_HOPS + 1];
	char text[MADRING_ROUTE_TEXT_BYTES];

	assert_int_equal(madring_route_read("0", path), 0);
	assert_int_equal(madring_route_read("0,1,254", path), 2);
	assert_int_equal(path[2], 254);
	assert_string_equal(madring_route_text(path, 2, text), "0,1,254");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(madring_route_read(wrong[i], path), -EINVAL);
	expect_long_route("", MADRING_MAX_HOPS);
	expect_long_route(",x", -EINVAL);
	expect_long_route(",1", -E2BIG);
}

/* Loads a fabric from a text. Returns the error. */
static int load(const char *saved, char text[MADRING_LOAD_TEXT_BYTES])
{
	struct madring_fabric *fabric;
	int error = saved_fabric_load(saved, &fabric, text);

	if (!error)
		madring_fabric_free(fabric);
	return error;
}

/* A cable whose far end has none is refused. */
static void test_half_a_cable(void **state)
{
	char text[MADRING_LOAD_TEXT_BYTES], *saved, *peer;
	struct discovery discovery;
	struct fake fake;
	size_t size;
	FILE *out;

	build(&fake, 1);
	fake_discover(&fake, &discovery);
	out = open_memstream(&saved, &size);
	assert_int_equal(madring_fabric_save(discovery.fabric, out), 0);
	fclose(out);
	assert_int_equal(load(saved, text), 0);
	peer = strstr(saved, "\"peer\": {");
	assert_non_null(peer);
	memset(peer + 8, ' ', (size_t)(strchr(peer, '}') - peer) - 7);
	for (unsigned int i = 0; i < 4; i++)
		peer[8 + i] = "null"[i];
	assert_int_equal(load(saved, text), -EINVAL);
	assert_non_null(strstr(text, "only one end"));
	free(saved);
	fake_close(&discovery);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_entry),	     cmocka_unit_test(test_find_nodes),
	cmocka_unit_test(test_find_ports),   cmocka_unit_test(test_routes),
	cmocka_unit_test(test_half_a_cable),
};

TEST_MAIN(tests, NULL, NULL)
