/* SPDX-License-Identifier: BSD-2-Clause */
/* Netlists and saved ibnetdiscover output that are right. */
#include <string.h>

#include "topologies.h"

static const struct topology_port *port_of(const struct topology *topology, const char *name,
					   unsigned int port)
{
	struct topology_node *node = topology_find(topology, name);

	assert_non_null(node);
	return &node->port[port];
}

/* The numbers are those that ibsim gives the same nodes. */
static void numbers_nodes_as_ibsim(void **state)
{
	struct topology *topology = read_data("two-switches.net");
	static const struct {
		const char *id, *description;
		enum node_type type;
		uint64_t guid;
	} expected[] = {
		{ "dual", "dual", NODE_CA, 0x100000 },
		{ "left", "the left one", NODE_SWITCH, 0x200000 },
		{ "right", "right", NODE_SWITCH, 0xabc0 },
		{ "host", "host HCA-1", NODE_CA, 0x100003 },
		{ "router", "router", NODE_ROUTER, 0 },
	};

	assert_int_equal(topology->node_count, 5);
	for (size_t i = 0; i < topology->node_count; i++) {
		const struct topology_node *node = topology->nodes[i];

		assert_int_equal(node->index, i);
		assert_string_equal(node->id, expected[i].id);
		assert_string_equal(node->description, expected[i].description);
		assert_int_equal(node->type, expected[i].type);
		assert_int_equal(node->node_guid, expected[i].guid);
	}
	assert_int_equal(port_of(topology, "dual", 2)->guid, 0x100002);
	assert_int_equal(port_of(topology, "left", 3)->guid, 0x200000);
	assert_int_equal(port_of(topology, "host", 1)->guid, 0x100004);
	topology_free(topology);
}

static void settings_hold_as_in_ibsim(void **state)
{
	struct topology *topology = read_data("two-switches.net");
	const struct topology_node *left = topology_find(topology, "left");
	const struct topology_node *right = topology_find(topology, "right");
	const struct topology_node *host = topology_find(topology, "host");

	assert_int_equal(left->vendor_id, 0);
	assert_int_equal(left->system_guid, left->node_guid);
	assert_int_equal(right->vendor_id, 0x2c9);
	assert_int_equal(right->device_id, 0xb924);
	assert_int_equal(right->system_guid, 0x1234);
	assert_int_equal(host->vendor_id, 0);
	assert_int_equal(host->device_id, 0xb924);
	assert_int_equal(host->system_guid, host->node_guid);
	topology_free(topology);
}

static void joins_both_ends(void **state)
{
	struct topology *topology = read_data("two-switches.net");
	const struct topology_port *port = port_of(topology, "left", 5);

	assert_ptr_equal(port->peer, topology_find(topology, "left"));
	assert_int_equal(port->peer_port, 6);
	/* The far port is 1 when the line names none. */
	port = port_of(topology, "right", 4);
	assert_ptr_equal(port->peer, topology_find(topology, "host"));
	assert_int_equal(port->peer_port, 1);
	assert_null(port_of(topology, "left", 4)->peer);
	assert_null(port_of(topology, "left", 0)->peer);
	topology_free(topology);
}

static void ends_agree_on_width_and_speed(void **state)
{
	struct topology *topology = read_data("two-switches.net");

	assert_int_equal(port_of(topology, "dual", 1)->width, 2);
	assert_int_equal(port_of(topology, "dual", 1)->speed, 1);
	assert_int_equal(port_of(topology, "dual", 2)->width, 1);
	/* s=3 and s=7 have 3 in common, and 2 is its best. */
	assert_int_equal(port_of(topology, "left", 2)->speed, 2);
	assert_int_equal(port_of(topology, "right", 2)->speed, 2);
	assert_int_equal(port_of(topology, "right", 2)->speed_ext, 0);
	topology_free(topology);
}

static void saved_ibnetdiscover_output_loads(void **state)
{
	struct topology *topology = read_data("saved.topology");
	const struct topology_node *leaf = topology_find(topology, "leaf one");
	const struct topology_node *spine = topology_find(topology, "spine; one");
	const struct topology_node *host = topology_find(topology, "H-0002c90300001000");

	assert_int_equal(topology->node_count, 4);
	assert_int_equal(leaf->node_guid, 0x2c90300000010);
	assert_int_equal(leaf->system_guid, 0x2c90300000013);
	assert_int_equal(leaf->vendor_id, 0x2c9);
	assert_int_equal(leaf->device_id, 0xcf08);
	assert_true(leaf->enhanced_port0);
	assert_false(spine->enhanced_port0);
	assert_int_equal(leaf->port[0].lid, 2);
	assert_int_equal(leaf->port[0].guid, 0x2c90300000011);
	assert_int_equal(spine->port[0].guid, 0x2c90300000020);
	assert_string_equal(host->description, "node001 HCA-1");
	assert_int_equal(host->port[1].lid, 4);
	assert_int_equal(host->port[1].lmc, 2);
	assert_int_equal(leaf->port[1].lid, 0);
	topology_free(topology);
}

static void reads_saved_widths_and_speeds(void **state)
{
	struct topology *topology = read_data("saved.topology");
	const struct topology_node *leaf = topology_find(topology, "leaf one");
	const struct topology_port *far = port_of(topology, "node002 HCA-1", 1);

	assert_int_equal(leaf->port[1].width, 2);
	assert_int_equal(leaf->port[1].speed, 4);
	assert_int_equal(leaf->port[1].speed_ext, 4);
	assert_int_equal(leaf->port[36].width, 8);
	assert_int_equal(leaf->port[36].speed_ext, 8);
	assert_false(leaf->port[36].fdr10);
	assert_int_equal(leaf->port[2].speed_ext, 0);
	assert_true(leaf->port[2].fdr10);
	/* A port's own GUID need not be its node's and the port number. */
	assert_int_equal(far->guid, 0x2c90300002009);
	topology_free(topology);
}

static struct topology *read_right(const char *text)
{
	struct topology_error error;
	struct topology *topology;

	if (read_text(&topology, text, strlen(text), &error))
		fail_msg("line %u: %s", error.line, error.text);
	return topology;
}

static void modules_and_aliases(void **state)
{
	struct topology *topology = read_right("module=\"rack\"\n"
					       "Switch 4 \"sw\"\n"
					       "[1] \"host\"[1]\n"
					       "@[2] \"uplink\"\n"
					       "\n"
					       "Hca 1 \"host\"\n"
					       "[1] \"sw\"[1]\n"
					       "\n"
					       "module=\"core\"\n"
					       "Switch 4 \"sw\"\n"
					       "[3] \"rack@uplink\"\n"
					       "[4] \"rack#other\"[1]\n"
					       "\n"
					       "module=\"rack\"\n"
					       "Hca 1 \"other\"\n"
					       "[1] \"core#sw\"[4]\n");
	const struct topology_port *uplink = port_of(topology, "rack#sw", 2);

	assert_string_equal(topology->nodes[0]->description, "rack#sw");
	assert_ptr_equal(uplink->peer, topology_find(topology, "core#sw"));
	assert_int_equal(uplink->peer_port, 3);
	assert_int_equal(uplink->width, 2);
	assert_int_equal(uplink->peer->port[3].peer_port, 2);
	topology_free(topology);
}

static void defaults_for_the_nodes_below(void **state)
{
	struct topology *topology = read_right("width=8\nspeed=4\nextspeed=2\n"
					       "hcaguids=0x500\n"
					       "Hca 1 \"a\"\n[1] \"b\"[1]\n\n"
					       "Hca 1 \"b\"\n[1] \"a\"[1]\n\n"
					       "caguid+0x40\n"
					       "Ca 1 \"c\" # a name without quotes\n\n"
					       "Hca 1 \"d\"\n[1] \"e\"[1] e=47\n\n"
					       "Hca 1 \"e\"\n[1] \"d\"[1] e=47\n");

	assert_int_equal(topology->nodes[0]->port[1].width, 8);
	assert_int_equal(topology->nodes[0]->port[1].speed, 4);
	assert_int_equal(topology->nodes[0]->port[1].speed_ext, 2);
	assert_int_equal(topology->nodes[3]->port[1].speed_ext, TOPOLOGY_SPEED_XDR);
	assert_int_equal(topology->nodes[1]->node_guid, 0x502);
	assert_int_equal(topology->nodes[2]->node_guid, 0x540);
	assert_string_equal(topology->nodes[2]->description, "a name without quotes");
	topology_free(topology);
}

/* A comment right behind the far node's name is no option, nor is the rest of a longer line. */
static void comments_are_not_options(void **state)
{
	struct topology *topology = read_right("Hca 1 \"a\"\n[1] \"b\"#w=1\n\n"
					       "Hca 1 \"b\" # longer w=1 s=1\n[1] \"a\"");

	assert_int_equal(topology->nodes[0]->port[1].width_enabled, 2);
	assert_int_equal(topology->nodes[1]->port[1].width_enabled, 2);
	topology_free(topology);
}

static void equal_guids_are_a_fabric_too(void **state)
{
	struct topology *topology = read_right("caguid=0x500\nHca 1 \"a\"\n[1] \"b\"\n\n"
					       "caguid=0x500\nHca 1 \"b\"\n[1] \"a\"\n");

	assert_int_equal(topology->nodes[0]->node_guid, topology->nodes[1]->node_guid);
	topology_free(topology);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(numbers_nodes_as_ibsim),
	cmocka_unit_test(settings_hold_as_in_ibsim),
	cmocka_unit_test(joins_both_ends),
	cmocka_unit_test(ends_agree_on_width_and_speed),
	cmocka_unit_test(saved_ibnetdiscover_output_loads),
	cmocka_unit_test(reads_saved_widths_and_speeds),
	cmocka_unit_test(modules_and_aliases),
	cmocka_unit_test(defaults_for_the_nodes_below),
	cmocka_unit_test(comments_are_not_options),
	cmocka_unit_test(equal_guids_are_a_fabric_too),
};

TEST_MAIN(tests, NULL, NULL)
