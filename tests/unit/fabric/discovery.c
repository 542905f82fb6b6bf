/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fabrics of healthy nodes: discovery is complete, whatever the order of replies, and names nodes
 * that do not answer.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mad.h>

#include "fake_fabric.h"

#define SEEDS 200

/*
 *  dual[1] - a[1]   a[2] = b[2], a[3] = b[3]   b[4] - b[5]   b[6] - c[1]   c[2] - dual[2]
 *  c[3] - tail[1]   c[4] - router[1]
 */
static void build(struct fake *fake, uint64_t seed)
{
	struct fake_node *dual, *a, *b, *c;

	fake_open(fake, seed);
	dual = fake_add(fake, MADRING_NODE_CA, 2, "dual");
	a = fake_add(fake, MADRING_NODE_SWITCH, 8, "a");
	b = fake_add(fake, MADRING_NODE_SWITCH, 8, "b");
	c = fake_add(fake, MADRING_NODE_SWITCH, 8, "c");
	fake_cable(dual, 1, a, 1);
	fake_cable(dual, 2, c, 2);
	fake_cable(a, 2, b, 2);
	fake_cable(a, 3, b, 3);
	fake_cable(b, 4, b, 5);
	fake_cable(b, 6, c, 1);
	fake_cable(c, 3, fake_add(fake, MADRING_NODE_CA, 1, "tail"), 1);
	fake_cable(c, 4, fake_add(fake, MADRING_NODE_ROUTER, 2, "router"), 1);
}

static const char expected[] =
	"\nvendid=0x2c9\ndevid=0x0\nsysimgguid=0x200\nswitchguid=0x200(200)\n"
	"Switch\t8 \"S-0000000000000200\"\t\t# \"a\" enhanced port 0 lid 2 lmc 0\n"
	"[1]\t\"H-0000000000000100\"[1](101) \t\t# \"dual\" lid 1 4xSDR s=1 w=2 v=4\n"
	"[2]\t\"S-0000000000000300\"[2]\t\t# \"b\" lid 3 4xSDR s=1 w=2 v=4\n"
	"[3]\t\"S-0000000000000300\"[3]\t\t# \"b\" lid 3 4xSDR s=1 w=2 v=4\n"
	"\nvendid=0x2c9\ndevid=0x0\nsysimgguid=0x300\nswitchguid=0x300(300)\n"
	"Switch\t8 \"S-0000000000000300\"\t\t# \"b\" enhanced port 0 lid 3 lmc 0\n"
	"[2]\t\"S-0000000000000200\"[2]\t\t# \"a\" lid 2 4xSDR s=1 w=2 v=4\n"
	"[3]\t\"S-0000000000000200\"[3]\t\t# \"a\" lid 2 4xSDR s=1 w=2 v=4\n"
	"[4]\t\"S-0000000000000300\"[5]\t\t# \"b\" lid 3 4xSDR s=1 w=2 v=4\n"
	"[5]\t\"S-0000000000000300\"[4]\t\t# \"b\" lid 3 4xSDR s=1 w=2 v=4\n"
	"[6]\t\"S-0000000000000400\"[1]\t\t# \"c\" lid 4 4xSDR s=1 w=2 v=4\n"
	"\nvendid=0x2c9\ndevid=0x0\nsysimgguid=0x400\nswitchguid=0x400(400)\n"
	"Switch\t8 \"S-0000000000000400\"\t\t# \"c\" enhanced port 0 lid 4 lmc 0\n"
	"[1]\t\"S-0000000000000300\"[6]\t\t# \"b\" lid 3 4xSDR s=1 w=2 v=4\n"
	"[2]\t\"H-0000000000000100\"[2](102) \t\t# \"dual\" lid 1 4xSDR s=1 w=2 v=4\n"
	"[3]\t\"H-0000000000000500\"[1](501) \t\t# \"tail\" lid 5 4xSDR s=1 w=2 v=4\n"
	"[4]\t\"R-0000000000000600\"[1](601) \t\t# \"router\" lid 6 4xSDR s=1 w=2 v=4\n"
	"\nvendid=0x2c9\ndevid=0x0\nsysimgguid=0x100\ncaguid=0x100\n"
	"Ca\t2 \"H-0000000000000100\"\t\t# \"dual\"\n"
	"[1](101) \t\"S-0000000000000200\"[1]\t\t# lid 1 lmc 0 \"a\" lid 2 4xSDR s=1 w=2 v=4\n"
	"[2](102) \t\"S-0000000000000400\"[2]\t\t# lid 1 lmc 0 \"c\" lid 4 4xSDR s=1 w=2 v=4\n"
	"\nvendid=0x2c9\ndevid=0x0\nsysimgguid=0x500\ncaguid=0x500\n"
	"Ca\t1 \"H-0000000000000500\"\t\t# \"tail\"\n"
	"[1](501) \t\"S-0000000000000400\"[3]\t\t# lid 5 lmc 0 \"c\" lid 4 4xSDR s=1 w=2 v=4\n"
	"\nvendid=0x2c9\ndevid=0x0\nsysimgguid=0x600\nrtguid=0x600\n"
	"Rt\t2 \"R-0000000000000600\"\t\t# \"router\"\n"
	"[1](601) \t\"S-0000000000000400\"[4]\t\t# lid 6 lmc 0 \"c\" lid 4 4xSDR s=1 w=2 v=4\n";

/* A local node without a link is not a fabric of one node that is complete. */
static void test_the_local_link_is_down(void **state)
{
	char text[MADRING_PROBLEM_TEXT_BYTES];
	struct discovery discovery;
	struct problem *problem;
	struct fake fake;

	fake_open(&fake, 1);
	fake_add(&fake, MADRING_NODE_CA, 2, "lone");
	fake_discover(&fake, &discovery);
	assert_int_equal(discovery.fabric->node_count, 1);
	assert_false(discovery_complete(&discovery));
	assert_int_equal(discovery.problems.count, 1);
	problem = discovery.problems.list[0];
	assert_int_equal(problem->public.kind, MADRING_PROBLEM_NO_REPLY);
	assert_int_equal(problem->public.error, -ENETDOWN);
	assert_string_equal(fake_problem_path(problem), "0,1");
	assert_string_equal(madring_problem_text(&problem->public, text),
			    "NodeInfo: the link of the local port is down");
	fake_close(&discovery);
}

static void test_same_for_every_order_of_replies(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;
		char *text;

		build(&fake, seed);
		fake_discover(&fake, &discovery);
		assert_true(discovery_complete(&discovery));
		text = fake_topology(&discovery);
		assert_string_equal(strstr(text, "\n\n") + 1, expected);
		free(text);
		fake_close(&discovery);
	}
}

static void test_breadth_first_order(void **state)
{
	static const char *const names[] = { "dual", "a", "b", "c", "tail", "router" };
	static const char *const paths[] = { "0",	"0,1",	     "0,1,2",
					     "0,1,2,6", "0,1,2,6,3", "0,1,2,6,4" };
	char text[ROUTE_TEXT_BYTES];
	struct discovery discovery;
	struct fake fake;

	build(&fake, 7);
	fake_discover(&fake, &discovery);
	assert_int_equal(discovery.fabric->node_count, 6);
	assert_int_equal(fabric_cables(discovery.fabric), 8);
	for (unsigned int i = 0; i < 6; i++) {
		const struct node *node = discovery.fabric->nodes[i];

		assert_string_equal(node->description, names[i]);
		assert_string_equal(madring_route_text(node->public.path, node->public.hops, text),
				    paths[i]);
	}
	fake_close(&discovery);
}

static void test_local_switch(void **state)
{
	struct discovery discovery;
	struct fake fake;

	build(&fake, 1);
	fake.local = &fake.node[2];
	fake_discover(&fake, &discovery);
	assert_true(discovery_complete(&discovery));
	assert_int_equal(discovery.fabric->node_count, 6);
	assert_int_equal(fabric_cables(discovery.fabric), 8);
	assert_string_equal(discovery.fabric->nodes[0]->description, "b");
	fake_close(&discovery);
}

static void test_silent_host(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct discovery discovery;
		struct fake fake;

		build(&fake, seed);
		fake.node[4].dead = true;
		fake_discover(&fake, &discovery);
		assert_false(discovery_complete(&discovery));
		assert_int_equal(discovery.fabric->node_count, 5);
		assert_int_equal(discovery.problems.count, 1);
		assert_int_equal(discovery.problems.list[0]->public.kind, MADRING_PROBLEM_NO_REPLY);
		assert_string_equal(fake_problem_path(discovery.problems.list[0]), "0,1,2,6,3");
		fake_close(&discovery);
	}
}

static void test_silent_local_node(void **state)
{
	struct discovery discovery;
	struct fake fake;
	char *text;

	build(&fake, 1);
	fake.node[0].dead = true;
	fake_discover(&fake, &discovery);
	assert_false(discovery_complete(&discovery));
	assert_int_equal(discovery.problems.count, 1);
	assert_string_equal(fake_problem_path(discovery.problems.list[0]), "0");
	text = fake_topology(&discovery);
	assert_null(strstr(text, "guid"));
	free(text);
	fake_close(&discovery);
}

static size_t refuse_switch_info(struct fake *fake, const struct query *query, uint8_t *mad)
{
	if (query->attribute == IB_ATTR_SWITCH_INFO)
		mad[5] = 0x0c;
	return FAKE_MAD_BYTES;
}

static void test_error_status(void **state)
{
	struct discovery discovery;
	struct fake fake;

	build(&fake, 1);
	fake.spoil = refuse_switch_info;
	fake_discover(&fake, &discovery);
	assert_false(discovery_complete(&discovery));
	assert_int_equal(discovery.fabric->node_count, 6);
	assert_int_equal(discovery.problems.count, 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(discovery.problems.list[i]->public.kind, MADRING_PROBLEM_STATUS);
		assert_int_equal(discovery.problems.list[i]->public.status, 0x000c);
		assert_int_equal(discovery.problems.list[i]->public.attribute, IB_ATTR_SWITCH_INFO);
	}
	assert_string_equal(fake_problem_path(discovery.problems.list[2]), "0,1,2,6");
	fake_close(&discovery);
}

struct speed {
	uint8_t width, speed, speed_ext;
	bool extended, fdr10;
	const char *text;
};

/* Links of a second set of extended speeds. */
static const struct {
	struct speed speed;
	uint8_t speed_ext2; /* LinkSpeedExtActive2 and so on, a byte */
	bool hidden, without_mask2;
} speeds2[] = {
	{ { 2, 4, 0, true, false, " 4xXDR " }, 0x28, false, false },
	{ { 2, 4, 8, true, false, " 4xXDR " }, 0x28, true, false },
	{ { 2, 4, 8, true, false, " 4xNDR " }, 0x08, false, false },
	{ { 2, 4, 8, true, false, " 4xNDR " }, 0x28, false, true },
	{ { 2, 4, 0, true, false, " 4x??? " }, 0x48, false, false },
};

static void set_speed(struct fake *fake, const struct speed *speed)
{
	for (unsigned int n = 0; n < fake->count; n++) {
		fake->node[n].info.device_id = 0x1003;
		fake->node[n].width = speed->width;
		fake->node[n].speed = speed->speed;
		fake->node[n].speed_ext = speed->speed_ext;
		fake->node[n].fdr10 = speed->fdr10;
		fake->node[n].capability_mask = speed->extended ? 3u << 14 : 0;
	}
}

/* Expects each of the eight cables to be found, with this text, from both of its ends. */
static void expect_links(struct fake *fake, const char *wanted)
{
	struct discovery discovery;
	char *text, *found;

	fake_discover(fake, &discovery);
	assert_true(discovery_complete(&discovery));
	text = found = fake_topology(&discovery);
	for (unsigned int end = 0; end < 16; end++) {
		found = strstr(found, wanted);
		assert_non_null(found);
		found++;
	}
	assert_null(strstr(found, wanted));
	free(text);
	fake_close(&discovery);
}

static void test_second_speeds(void **state)
{
	for (size_t i = 0; i < sizeof(speeds2) / sizeof(speeds2[0]); i++) {
		struct fake fake;

		build(&fake, i + 1);
		set_speed(&fake, &speeds2[i].speed);
		for (unsigned int n = 0; n < fake.count; n++) {
			fake.node[n].capability_mask2 = speeds2[i].without_mask2 ? 0 : 1u << 11;
			fake.node[n].speed_ext2 = speeds2[i].speed_ext2;
			fake.node[n].hides_speed_ext2 = speeds2[i].hidden;
		}
		expect_links(&fake, speeds2[i].speed.text);
	}
}

/* Refuses PortInfo to a requester that says that it knows extended speeds. */
static size_t refuse_speeds2(struct fake *fake, const struct query *query, uint8_t *mad)
{
	if (query->attribute == IB_ATTR_PORT_INFO && query->modifier & PORT_INFO_EXTENDED_SPEEDS)
		mad[5] = 0x1c;
	return FAKE_MAD_BYTES;
}

static void test_second_speeds_refused(void **state)
{
	struct fake fake;

	build(&fake, 1);
	set_speed(&fake, &speeds2[1].speed);
	for (unsigned int n = 0; n < fake.count; n++) {
		fake.node[n].capability_mask2 = 1u << 11;
		fake.node[n].speed_ext2 = speeds2[1].speed_ext2;
		fake.node[n].hides_speed_ext2 = true;
	}
	fake.spoil = refuse_speeds2;
	expect_links(&fake, " 4xNDR ");
}

static void test_widths_and_speeds(void **state)
{
	static const struct speed speeds[] = {
		{ 1, 1, 0, false, false, " 1xSDR " },
		{ 2, 2, 0, false, false, " 4xDDR " },
		{ 4, 4, 0, false, false, " 8xQDR " },
		{ 8, 4, 0, false, true, " 12xFDR10 " },
		{ 16, 4, 1, true, false, " 2xFDR " },
		{ 2, 4, 2, true, false, " 4xEDR " },
		{ 2, 4, 4, true, false, " 4xHDR " },
		{ 2, 4, 8, true, false, " 4xNDR " },
		{ 2, 4, 2, false, false, " 4xQDR " },
		{ 2, 4, 3, true, false, " 4x??? " },
		{ 3, 7, 0, false, false,
		  " ???"
		  "?? " },
	};

	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		struct fake fake;

		build(&fake, i + 1);
		set_speed(&fake, &speeds[i]);
		expect_links(&fake, speeds[i].text);
	}
}

/* Counts the calls for each node of build(), by the hundreds of its GUID. */
struct known {
	unsigned int calls[8];
};

/* Checks that nothing of the node is missing but its links. */
static void see_known(void *context, const struct node *node)
{
	bool is_switch = node->public.type == MADRING_NODE_SWITCH;
	struct known *known = context;

	known->calls[node->public.guid >> 8]++;
	assert_true(node->description[0]);
	assert_int_equal(node->public.enhanced_port0, is_switch);
	for (unsigned int p = is_switch ? 0 : 1; p <= node->public.port_count; p++)
		assert_int_equal(node->port[p].public.known, node->port[p].public.found);
}

static void test_known_nodes(void **state)
{
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct known known = { 0 };
		struct discovery discovery;
		struct fake fake;

		build(&fake, seed);
		fake.node_known = see_known;
		fake.known_context = &known;
		fake.node[4].dead = seed % 2; /* the tail */
		fake_discover(&fake, &discovery);
		/* The second port of the first node may be found when the first has answered. */
		assert_in_range(known.calls[1], 1, 2);
		for (unsigned int node = 2; node <= 6; node++)
			assert_int_equal(known.calls[node], node != 5 || !fake.node[4].dead);
		fake_close(&discovery);
	}
}

static void test_nodes_that_refuse_are_not_known(void **state)
{
	struct known known = { 0 };
	struct discovery discovery;
	struct fake fake;

	build(&fake, 1);
	fake.spoil = refuse_switch_info;
	fake.node_known = see_known;
	fake.known_context = &known;
	fake_discover(&fake, &discovery);
	for (unsigned int node = 2; node <= 6; node++)
		assert_int_equal(known.calls[node], node >= 5);
	fake_close(&discovery);
}

static void test_stop(void **state)
{
	struct discovery discovery;
	struct query *query;

	discovery_start(&discovery, fabric_new());
	query = discovery_take(&discovery);
	assert_non_null(query);
	assert_null(discovery_take(&discovery));
	discovery_put_back(&discovery, query);
	assert_int_equal(discovery.waiting, 1);
	discovery_stop(&discovery);
	assert_int_equal(discovery.waiting, 0);
	assert_int_equal(discovery.dropped, 1);
	assert_false(discovery_complete(&discovery));
	fake_close(&discovery);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_local_link_is_down),
	cmocka_unit_test(test_same_for_every_order_of_replies),
	cmocka_unit_test(test_breadth_first_order),
	cmocka_unit_test(test_local_switch),
	cmocka_unit_test(test_silent_host),
	cmocka_unit_test(test_silent_local_node),
	cmocka_unit_test(test_error_status),
	cmocka_unit_test(test_widths_and_speeds),
	cmocka_unit_test(test_second_speeds),
	cmocka_unit_test(test_second_speeds_refused),
	cmocka_unit_test(test_known_nodes),
	cmocka_unit_test(test_nodes_that_refuse_are_not_known),
	cmocka_unit_test(test_stop),
};

TEST_MAIN(tests, NULL, NULL)
