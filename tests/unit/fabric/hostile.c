/* SPDX-License-Identifier: BSD-2-Clause */
/* Broken fabrics: shared GUIDs, replies that lie, cables without end. */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mad.h>
#include <madring.h>

#include "fake_fabric.h"
#include "madring-sweep/print.h"

#define SEEDS 200

/* Builds host - s0 - s1 - ...: a chain of switches by ports 1 and 2. */
static void build_chain(struct fake *fake, uint64_t seed, unsigned int switches)
{
	struct fake_node *last, *next;

	fake_open(fake, seed);
	last = fake_add(fake, MADRING_NODE_CA, 1, "host");
	for (unsigned int i = 0; i < switches; i++) {
		next = fake_add(fake, MADRING_NODE_SWITCH, 8, "switch");
		fake_cable(last, i ? 2 : 1, next, 1);
		last = next;
	}
}

static void give_guid_of(struct fake_node *node, const struct fake_node *from)
{
	node->info.node_guid = from->info.node_guid;
	node->info.port_guid = from->info.port_guid;
	node->info.system_guid = from->info.system_guid;
}

/* Adds two nodes with one GUID, called "one" and "two". */
static struct fake_node *add_twins(struct fake *fake, enum madring_node_type type, uint8_t ports)
{
	struct fake_node *twins = fake_add(fake, type, ports, "one");

	give_guid_of(fake_add(fake, type, ports, "two"), twins);
	return twins;
}

static void check_conflict(const struct discovery *discovery, const char *a, const char *b)
{
	char text[MADRING_PROBLEM_TEXT_BYTES];
	const struct problem *problem = fake_problem(discovery, MADRING_PROBLEM_CONFLICT);

	assert_false(discovery_complete(discovery));
	assert_non_null(problem);
	madring_problem_text(&problem->public, text);
	assert_non_null(strstr(text, a));
	assert_non_null(strstr(text, b));
}

static void test_two_hosts_with_one_guid(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake_node *twins;
		struct fake fake;

		build_chain(&fake, seed, 2);
		twins = add_twins(&fake, MADRING_NODE_CA, 1);
		fake_cable(&fake.node[1], 5, &twins[0], 1);
		fake_cable(&fake.node[2], 6, &twins[1], 1);
		fake_discover(&fake, &discovery);
		assert_int_equal(discovery.fabric->node_count, 4);
		assert_int_equal(discovery.problems.count, 1);
		check_conflict(&discovery, "\"one\"", "\"two\"");
		fake_close(&discovery);
	}
}

/*
 * host - s0 - s1 - s2 - s3, s0 and s3 with a host each, and s3 has the GUID of s0: whatever
 * is behind the second one is lost, and the sweep ends and says so.
 */
static void test_two_switches_with_one_guid(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;

		build_chain(&fake, seed, 4);
		give_guid_of(&fake.node[4], &fake.node[1]);
		fake_cable(&fake.node[1], 5, fake_add(&fake, MADRING_NODE_CA, 1, "first"), 1);
		fake_cable(&fake.node[4], 6, fake_add(&fake, MADRING_NODE_CA, 1, "last"), 1);
		fake_discover(&fake, &discovery);
		check_conflict(&discovery, "0,1", "node GUID 0x0000000000000200");
		assert_string_equal(
			fake_problem_path(fake_problem(&discovery, MADRING_PROBLEM_CONFLICT)),
			"0,1,2,2,2");
		fake_close(&discovery);
	}
}

/* The second switch answers by a port that is down at the first: no cable contradicts it. */
static void test_two_switches_joined_at_different_ports(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake_node *two;
		struct fake fake;

		build_chain(&fake, seed, 2);
		two = fake_add(&fake, MADRING_NODE_SWITCH, 8, "two");
		give_guid_of(two, &fake.node[1]);
		fake_cable(&fake.node[2], 6, two, 7);
		fake_discover(&fake, &discovery);
		check_conflict(&discovery, "\"switch\"", "\"two\"");
		fake_close(&discovery);
	}
}

/*
 * The second switch answers by the port that leads on from the first. That answer may come
 * before the first one's port is asked for, and must not stand in for it.
 */
static void test_nodes_behind_the_first_twin_are_found(void **state)
{
	unsigned int first = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake_node *twins;
		struct fake fake;

		build_chain(&fake, seed, 2);
		twins = add_twins(&fake, MADRING_NODE_SWITCH, 8);
		fake_cable(&fake.node[1], 5, &twins[0], 1);
		fake_cable(&fake.node[1], 6, &twins[1], 7);
		fake_cable(&twins[0], 7, fake_add(&fake, MADRING_NODE_CA, 1, "behind one"), 1);
		fake_discover(&fake, &discovery);
		check_conflict(&discovery, "\"one\"", "\"two\"");
		if (!strcmp(fabric_find(discovery.fabric, twins->info.node_guid)->description,
			    "one")) {
			first++;
			assert_int_equal(discovery.fabric->node_count, 5);
			assert_string_equal(fake_problem_path(discovery.problems.list[0]), "0,1,6");
		}
		fake_close(&discovery);
	}
	assert_in_range(first, 1, SEEDS - 1);
}

static void test_one_guid_of_different_kinds(void **state)
{
	struct discovery discovery;
	struct fake_node *two;
	struct fake fake;

	build_chain(&fake, 1, 2);
	two = fake_add(&fake, MADRING_NODE_CA, 2, "two");
	give_guid_of(two, &fake.node[1]);
	fake_cable(&fake.node[2], 6, two, 2);
	fake_discover(&fake, &discovery);
	check_conflict(&discovery, "\"two\"", "type or number of ports");
	fake_close(&discovery);
}

struct lie {
	enum MAD_FIELDS field;
	uint64_t value;
	const char *text;
};

static const struct lie lies[] = {
	{ IB_NODE_TYPE_F, 0, "node type" },
	{ IB_NODE_TYPE_F, 4, "node type" },
	{ IB_NODE_TYPE_F, 255, "node type" },
	{ IB_NODE_GUID_F, 0, "GUID is 0" },
	{ IB_NODE_NPORTS_F, 0, "number of ports" },
	{ IB_NODE_NPORTS_F, 255, "number of ports" },
	{ IB_NODE_LOCAL_PORT_F, 0, "local port is 0" },
	{ IB_NODE_LOCAL_PORT_F, 200, "beyond" },
};

static const struct lie *lie;

static size_t tell_lie(struct fake *fake, const struct query *query, uint8_t *mad)
{
	uint8_t *attribute = mad + MADRING_SMP_DATA;

	/* Everybody but the local node. */
	if (query->attribute != IB_ATTR_NODE_INFO || !query->via)
		return FAKE_MAD_BYTES;
	if (lie->field == IB_NODE_GUID_F)
		mad_set_field64(attribute, 0, lie->field, lie->value);
	else
		mad_set_field(attribute, 0, lie->field, lie->value);
	return FAKE_MAD_BYTES;
}

static void test_node_info_that_cannot_be(void **state)
{
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		struct discovery discovery;
		const struct problem *problem;
		struct fake fake;

		build_chain(&fake, i + 1, 3);
		lie = &lies[i];
		fake.spoil = tell_lie;
		fake_discover(&fake, &discovery);
		assert_int_equal(discovery.fabric->node_count, 1);
		assert_int_equal(discovery.problems.count, 1);
		problem = discovery.problems.list[0];
		assert_int_equal(problem->public.kind, MADRING_PROBLEM_MALFORMED);
		assert_non_null(strstr(problem->public.reason, lie->text));
		assert_string_equal(fake_problem_path(problem), "0,1");
		fake_close(&discovery);
	}
}

static unsigned int wrong_header;

static size_t spoil_header(struct fake *fake, const struct query *query, uint8_t *mad)
{
	switch (wrong_header) {
	case 0:
		return 0;
	case 1:
		return 23;
	case 2:
		return MADRING_SMP_DATA + MADRING_SMP_DATA_BYTES - 1;
	case 3:
		mad[1] = 0x01; /* class */
		break;
	case 4:
		mad[3] = MADRING_GET; /* method */
		break;
	case 5:
		mad[17] ^= 1; /* attribute */
		break;
	case 6:
		mad[23] ^= 1; /* modifier */
		break;
	}
	return FAKE_MAD_BYTES;
}

static void test_replies_to_something_else(void **state)
{
	for (wrong_header = 0; wrong_header <= 6; wrong_header++) {
		struct discovery discovery;
		struct fake fake;

		build_chain(&fake, 1, 1);
		fake.spoil = spoil_header;
		fake_discover(&fake, &discovery);
		assert_null(discovery.fabric->root);
		assert_int_equal(discovery.problems.count, 1);
		assert_int_equal(discovery.problems.list[0]->public.kind,
				 MADRING_PROBLEM_MALFORMED);
		fake_close(&discovery);
	}
}

static void test_description_without_end(void **state)
{
	char text[DESCRIPTION_BYTES + 1];
	struct discovery discovery;
	struct fake fake;

	build_chain(&fake, 1, 1);
	memset(fake.node[1].description, 'x', DESCRIPTION_BYTES);
	fake.node[1].description[1] = '\n';
	fake.node[1].description[2] = '\x1b';
	fake.node[1].description[3] = (char)0xff;
	fake_discover(&fake, &discovery);
	memset(text, 'x', DESCRIPTION_BYTES);
	text[DESCRIPTION_BYTES] = '\0';
	text[1] = text[2] = text[3] = ' ';
	assert_string_equal(discovery.fabric->nodes[1]->description, text);
	fake_close(&discovery);
}

static void test_route_beyond_63_hops(void **state)
{
	const struct problem *problem;
	struct discovery discovery;
	struct fake fake;

	build_chain(&fake, 1, 70);
	fake_discover(&fake, &discovery);
	assert_int_equal(discovery.fabric->node_count, 1 + ROUTE_MAX_HOPS);
	assert_int_equal(fabric_hops(discovery.fabric), ROUTE_MAX_HOPS);
	assert_int_equal(discovery.problems.count, 1);
	problem = discovery.problems.list[0];
	assert_int_equal(problem->public.kind, MADRING_PROBLEM_TOO_FAR);
	assert_non_null(strstr(problem->public.reason, "63 hops"));
	fake_close(&discovery);
}

/* Makes every port of every node lead to another switch of 254 ports. */
static size_t never_end(struct fake *fake, const struct query *query, uint8_t *mad)
{
	uint8_t *attribute = mad + MADRING_SMP_DATA;

	if (query->attribute == IB_ATTR_NODE_INFO && query->via) {
		mad_set_field64(attribute, 0, IB_NODE_GUID_F,
				prng_below(&fake->prng, UINT64_MAX) + 1);
		mad_set_field(attribute, 0, IB_NODE_NPORTS_F, 254);
		mad_set_field(attribute, 0, IB_NODE_LOCAL_PORT_F, 1 + prng_below(&fake->prng, 254));
	}
	if (query->attribute == IB_ATTR_PORT_INFO)
		mad_set_field(attribute, 0, IB_PORT_PHYS_STATE_F, PHYSICAL_STATE_LINK_UP);
	return FAKE_MAD_BYTES;
}

static void test_fabric_without_end(void **state)
{
	struct discovery discovery;
	struct fake_node *node;
	struct fake fake;

	build_chain(&fake, 1, 1);
	/* Whichever way the sweep goes, it gets to this one, which gives itself out as many. */
	node = &fake.node[1];
	for (unsigned int p = 2; p <= FAKE_PORTS; p++)
		node->port[p] = (struct fake_port){ node, p };
	fake.spoil = never_end;
	fake_discover(&fake, &discovery);
	assert_false(discovery_complete(&discovery));
	assert_true(discovery.fabric->port_count <= FABRIC_MAX_PORTS);
	assert_true(discovery.fabric->node_count > 1000);
	fake_close(&discovery);
}

#define INVENTOR_PORT 5 /* the first switch's port to the inventor */
#define REAL_SWITCHES 38

static bool is_behind_the_inventor(const struct query *query)
{
	struct route route;

	query_route(query, &route);
	return route.hops >= 2 && route.port[2] == INVENTOR_PORT;
}

/* Claims a switch of 254 ports behind each port of the inventor that the fake can follow. */
static size_t invent(struct fake *fake, const struct query *query, uint8_t *mad)
{
	uint8_t *attribute = mad + MADRING_SMP_DATA;

	if (!is_behind_the_inventor(query))
		return FAKE_MAD_BYTES;
	if (query->attribute == IB_ATTR_NODE_INFO) {
		mad_set_field64(attribute, 0, IB_NODE_GUID_F,
				prng_below(&fake->prng, UINT64_MAX) + 1);
		mad_set_field(attribute, 0, IB_NODE_NPORTS_F, 254);
		mad_set_field(attribute, 0, IB_NODE_LOCAL_PORT_F, 1);
	}
	if (query->attribute == IB_ATTR_PORT_INFO)
		mad_set_field(attribute, 0, IB_PORT_PHYS_STATE_F,
			      query->modifier <= FAKE_PORTS ? PHYSICAL_STATE_LINK_UP : 2);
	return FAKE_MAD_BYTES;
}

/*
 * Builds a long chain of switches with a host each. Beside the first switch, one node invents a
 * switch behind each port, and answers before all others. Everything real must be found.
 */
static void build_inventor(struct fake *fake)
{
	struct fake_node *inventor;

	build_chain(fake, 1, REAL_SWITCHES);
	for (unsigned int i = 1; i <= REAL_SWITCHES; i++)
		fake_cable(&fake->node[i], 4, fake_add(fake, MADRING_NODE_CA, 1, "real"), 1);
	inventor = fake_add(fake, MADRING_NODE_SWITCH, 8, "inventor");
	fake_cable(&fake->node[1], INVENTOR_PORT, inventor, 1);
	for (unsigned int p = 2; p <= FAKE_PORTS; p++)
		inventor->port[p] = (struct fake_port){ inventor, 1 };
	fake->spoil = invent;
	fake->is_hasty = is_behind_the_inventor;
}

static void check_real_nodes(const struct fake *fake, const struct discovery *discovery)
{
	/* All nodes are real except the last one, the inventor. */
	for (unsigned int i = 0; i + 1 < fake->count; i++) {
		const struct node *node =
			fabric_find(discovery->fabric, fake->node[i].info.node_guid);

		assert_non_null(node);
		for (unsigned int p = 1; p <= FAKE_PORTS; p++)
			if (fake->node[i].port[p].peer)
				assert_true(node->port[p].public.known);
	}
}

static void test_inventor_of_switches(void **state)
{
	const struct problem *problem;
	char text[MADRING_PROBLEM_TEXT_BYTES];
	struct discovery discovery;
	struct fake fake;

	build_inventor(&fake);
	fake_discover(&fake, &discovery);
	check_real_nodes(&fake, &discovery);
	assert_false(discovery_complete(&discovery));
	assert_true(discovery.fabric->port_count <= FABRIC_MAX_PORTS);
	assert_int_equal(discovery.problems.count, 1);
	problem = discovery.problems.list[0];
	assert_int_equal(problem->public.kind, MADRING_PROBLEM_LIMIT);
	assert_string_equal(fake_problem_path(problem), "0,1,5");
	assert_true(problem->public.left_out > 0);
	madring_problem_text(&problem->public, text);
	assert_non_null(strstr(text, "most of them are behind this node"));
	/* The discovery gives up before it has asked for all that the inventor claims to have. */
	assert_true(discovery.dropped > 0);
	fake_close(&discovery);
}

static void test_limit_of_nodes(void **state)
{
	const struct problem *problem;
	struct discovery discovery;
	struct fake fake;

	for (size_t most = 1; most <= 4; most++) {
		build_chain(&fake, most, 4);
		fake_discover_some(&fake, &discovery, most);
		assert_int_equal(discovery.fabric->node_count, most);
		assert_false(discovery_complete(&discovery));
		assert_int_equal(discovery.problems.count, 1);
		problem = discovery.problems.list[0];
		assert_int_equal(problem->public.kind, MADRING_PROBLEM_LIMIT);
		assert_int_equal(problem->public.left_out, 1);
		assert_null(discovery.cut);
		assert_int_equal(discovery.dropped, 0);
		fake_close(&discovery);
	}
}

static size_t flip_bits(struct fake *fake, const struct query *query, uint8_t *mad)
{
	if (prng_below(&fake->prng, 4))
		return FAKE_MAD_BYTES;
	for (unsigned int i = 1 + prng_below(&fake->prng, 8); i > 0; i--)
		mad[prng_below(&fake->prng, 128)] ^= 1u << prng_below(&fake->prng, 8);
	return prng_below(&fake->prng, 8) ? FAKE_MAD_BYTES
					  : prng_below(&fake->prng, FAKE_MAD_BYTES + 1);
}

/* Prints a spoilt fabric in every form of output. */
static void print_all(const struct discovery *discovery)
{
	struct options options = { .full = true, .stats = true, .list_types = 0xe };
	struct result result = { .fabric = discovery->fabric,
				 .options = &options,
				 .driver = "io_uring" };
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(out);
	discovery->fabric->problems = discovery->problems;
	print_topology(out, &result);
	print_list(out, &result);
	print_ports(out, &result);
	print_dot(out, &result);
	print_json(out, &result);
	print_stats(out, &result);
	print_problems(out, &result);
	fclose(out);
	discovery->fabric->problems = (struct problems){ 0 };
}

static void test_spoilt_replies(void **state)
{
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct discovery discovery;
		struct fake fake;

		build_chain(&fake, seed, 6);
		fake_cable(&fake.node[2], 4, &fake.node[2], 5);
		fake_cable(&fake.node[3], 4, &fake.node[5], 5);
		fake_cable(&fake.node[3], 6, fake_add(&fake, MADRING_NODE_CA, 2, "leaf"), 1);
		fake.spoil = flip_bits;
		fake_discover(&fake, &discovery);
		print_all(&discovery);
		fake_close(&discovery);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_two_hosts_with_one_guid),
	cmocka_unit_test(test_two_switches_with_one_guid),
	cmocka_unit_test(test_two_switches_joined_at_different_ports),
	cmocka_unit_test(test_nodes_behind_the_first_twin_are_found),
	cmocka_unit_test(test_one_guid_of_different_kinds),
	cmocka_unit_test(test_node_info_that_cannot_be),
	cmocka_unit_test(test_replies_to_something_else),
	cmocka_unit_test(test_description_without_end),
	cmocka_unit_test(test_route_beyond_63_hops),
	cmocka_unit_test(test_fabric_without_end),
	cmocka_unit_test(test_inventor_of_switches),
	cmocka_unit_test(test_limit_of_nodes),
	cmocka_unit_test(test_spoilt_replies),
};

TEST_MAIN(tests, NULL, NULL)
