/* SPDX-License-Identifier: BSD-2-Clause */
/* Each number of a report is checked on a run that is small enough to work out by hand. */
#include <stdio.h>
#include <stdlib.h>

#include <infiniband/mad.h>
#include <json-c/json.h>

#include "scenario_fixture.h"
#include "report/report.h"
#include "support.h"

static const uint8_t path[] = { 1, 2, 4 };

static struct world world;
static int endpoint;
static struct json_object *report;

static struct json_object *at(struct json_object *object, const char *key)
{
	struct json_object *found;

	if (!json_object_object_get_ex(object, key, &found))
		fail_msg("no %s", key);
	return found;
}

static uint64_t number(struct json_object *object, const char *key)
{
	return json_object_get_uint64(at(object, key));
}

static const char *text(struct json_object *object, const char *key)
{
	return json_object_get_string(at(object, key));
}

static void send_one(const struct fabric_packet *packet)
{
	struct fabric_packet answer;
	int out;

	fabric_send(world.fabric, endpoint, packet, fabric_now(world.fabric));
	while (fabric_next_event(world.fabric) != FABRIC_NEVER)
		fabric_receive(world.fabric, fabric_next_event(world.fabric), &out, &answer);
}

static void send_directed(uint16_t attribute, unsigned int hops)
{
	struct fabric_packet packet = directed(attribute, 0, hops, path);

	send_one(&packet);
}

static int open_world(void **state)
{
	world_open(&world, read_data("two-switches.net"), 1);
	tell(&world, "profile real");
	tell(&world, "set local-service 0");
	endpoint = fabric_attach(world.fabric, fabric_topology(world.fabric)->nodes[0], 1);
	return endpoint >= 0 ? 0 : -1;
}

static int close_world(void **state)
{
	json_object_put(report);
	report = NULL;
	world_close(&world);
	return 0;
}

static void make_report(void)
{
	const struct report_run run = { .profile = "real", .seed = UINT64_MAX };
	struct json_writer writer;
	char *written;
	size_t bytes;
	FILE *out = open_memstream(&written, &bytes);

	assert_non_null(out);
	report_begin(&writer, out, world.fabric, &run);
	report_end(&writer);
	assert_int_equal(fclose(out), 0);
	report = json_tokener_parse(written);
	assert_non_null(report);
	free(written);
}

/* The report has the node that sent, the switch that it is cabled to, and the next one. */
static void what_each_has_done(void **state)
{
	struct json_object *nodes, *node, *fabric;

	send_directed(IB_ATTR_NODE_INFO, 1);
	send_directed(IB_ATTR_NODE_INFO, 2);
	send_directed(IB_ATTR_NODE_DESC, 2);
	make_report();
	assert_int_equal(number(report, "seed"), UINT64_MAX);
	assert_string_equal(text(report, "profile"), "real");
	assert_int_equal(number(at(report, "model"), "service.switch"), 18000);
	assert_int_equal(number(report, "time_ns"), 19200 + 2 * 28400);
	fabric = at(report, "fabric");
	assert_int_equal(number(fabric, "sent"), 3);
	assert_int_equal(number(fabric, "answered"), 3);
	assert_int_equal(number(fabric, "delivered"), 3);
	nodes = at(fabric, "nodes");
	assert_int_equal(json_object_array_length(nodes), 2);
	node = json_object_array_get_idx(nodes, 0);
	assert_string_equal(text(node, "name"), "the left one");
	assert_string_equal(text(node, "type"), "switch");
	assert_int_equal(number(node, "served"), 1);
	assert_int_equal(number(node, "busy_ns"), 18000);
	assert_int_equal(number(node, "passed_on"), 4);
	assert_int_equal(number(node, "transit_ns"), 16000);
	node = json_object_array_get_idx(nodes, 1);
	assert_string_equal(text(node, "guid"), "0x000000000000abc0");
	assert_int_equal(number(node, "served"), 2);
	assert_int_equal(number(node, "busy_ns"), 36000);
	assert_int_equal(number(node, "passed_on"), 0);
}

static void kinds(void **state)
{
	struct json_object *all, *kind;

	send_directed(IB_ATTR_NODE_INFO, 1);
	send_directed(IB_ATTR_NODE_DESC, 0);
	send_directed(IB_ATTR_NODE_INFO, 2);
	make_report();
	all = at(at(report, "fabric"), "kinds");
	assert_int_equal(json_object_array_length(all), 2);
	kind = json_object_array_get_idx(all, 0);
	assert_int_equal(number(kind, "class"), IB_SMI_DIRECT_CLASS);
	assert_int_equal(number(kind, "method"), IB_MAD_METHOD_GET);
	assert_int_equal(number(kind, "attribute"), IB_ATTR_NODE_INFO);
	assert_string_equal(text(kind, "name"), "NodeInfo");
	assert_string_equal(text(kind, "method_name"), "Get");
	assert_int_equal(number(kind, "sent"), 2);
	assert_int_equal(number(kind, "answered"), 2);
}

/* The path to the second switch is known when the first has answered. */
static void longest_chain(void **state)
{
	struct json_object *bound;

	send_directed(IB_ATTR_NODE_INFO, 1);
	send_directed(IB_ATTR_NODE_INFO, 2);
	make_report();
	bound = at(report, "lower_bound");
	/* Two links and 18 us; four links, twice 4 us and 18 us. */
	assert_int_equal(number(bound, "chain_ns"), 19200 + 28400);
	assert_int_equal(number(bound, "chain_trips"), 2);
	assert_int_equal(number(bound, "ns"), 19200 + 28400);
	assert_int_equal(number(at(bound, "busiest"), "ns"), 18000);
}

static void busiest_node(void **state)
{
	struct json_object *bound;

	for (int i = 0; i < 10; i++)
		send_directed(IB_ATTR_NODE_INFO, 2);
	make_report();
	bound = at(report, "lower_bound");
	assert_int_equal(number(bound, "ns"), 180000);
	assert_string_equal(text(at(bound, "busiest"), "name"), "right");
	assert_int_equal(number(bound, "chain_ns"), 28400);
	assert_int_equal(number(bound, "chain_trips"), 1);
}

/* The busiest SMI passes on more than any agent has to answer. */
static void busiest_smi(void **state)
{
	struct json_object *busiest;

	tell(&world, "set transit 50us");
	send_directed(IB_ATTR_NODE_INFO, 2);
	make_report();
	busiest = at(at(report, "lower_bound"), "busiest");
	assert_int_equal(number(busiest, "ns"), 100000);
	assert_string_equal(text(busiest, "name"), "the left one");
}

/* The kernel needs longer for the replies than the switch for its work. */
static void busiest_kernel(void **state)
{
	struct json_object *bound, *node;

	tell(&world, "set local-service 30us");
	send_directed(IB_ATTR_NODE_INFO, 1);
	send_directed(IB_ATTR_NODE_INFO, 1);
	/* The HCA has the reply itself. */
	send_directed(IB_ATTR_NODE_INFO, 0);
	make_report();
	bound = at(report, "lower_bound");
	assert_int_equal(number(at(bound, "busiest"), "ns"), 60000);
	assert_string_equal(text(at(bound, "busiest"), "name"), "dual");
	assert_int_equal(number(bound, "chain_ns"), 19200 + 30000);
	node = json_object_array_get_idx(at(at(report, "fabric"), "nodes"), 0);
	assert_string_equal(text(node, "name"), "dual");
	assert_int_equal(number(node, "taken"), 2);
	assert_int_equal(number(node, "kernel_ns"), 60000);
	assert_int_equal(number(node, "served"), 1);
	node = json_object_array_get_idx(at(at(report, "fabric"), "nodes"), 1);
	assert_string_equal(text(node, "name"), "the left one");
	assert_int_equal(number(node, "taken"), 0);
	assert_int_equal(number(node, "kernel_ns"), 0);
}

/* Sends so many SMPs to the next switch at once. */
static void send_burst(unsigned int count)
{
	const struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, 1, path);

	for (unsigned int i = 0; i < count; i++)
		fabric_send(world.fabric, endpoint, &packet, fabric_now(world.fabric));
	fabric_run(world.fabric, fabric_now(world.fabric) + 1000 * MS);
}

/* The MADs that the host drops are counted apart from those that the nodes drop. */
static void drops_of_the_host(void **state)
{
	struct json_object *dropped;

	tell(&world, "set local-service 1ms");
	tell(&world, "set local-vl15 8192");
	send_burst(30);
	tell(&world, "set local-vl15 0");
	tell(&world, "set local-receive-buffers 10");
	send_burst(13);
	make_report();
	dropped = at(at(report, "fabric"), "dropped");
	assert_int_equal(number(dropped, "local_vl15"), 2);
	assert_int_equal(number(dropped, "local_receive_buffers"), 3);
	assert_int_equal(number(dropped, "queue_full"), 0);
	dropped = at(json_object_array_get_idx(at(at(report, "fabric"), "nodes"), 0), "dropped");
	assert_int_equal(number(dropped, "local_vl15"), 2);
	assert_int_equal(number(dropped, "local_receive_buffers"), 3);
	assert_int_equal(number(at(report, "model"), "local-vl15"), 0);
	assert_int_equal(number(at(report, "model"), "local-receive-buffers"), 10);
	assert_int_equal(number(at(report, "model"), "local-service"), MS);
	/* A kernel that needs no time is held up, too. */
	tell(&world, "set local-service 0");
	send_burst(13);
	tell(&world, "node dual pause 1ms");
	send_burst(13);
	assert_int_equal(fabric_stats(world.fabric)->dropped[FABRIC_DROP_LOCAL_RECEIVE], 6);
}

static void drops(void **state)
{
	struct json_object *dropped, *nodes;

	tell(&world, "node right dead");
	send_directed(IB_ATTR_NODE_INFO, 2);
	tell(&world, "link left:1 down");
	send_directed(IB_ATTR_NODE_INFO, 1);
	make_report();
	dropped = at(at(report, "fabric"), "dropped");
	assert_int_equal(number(dropped, "dead_node"), 1);
	assert_int_equal(number(dropped, "no_link"), 1);
	assert_int_equal(number(dropped, "lost"), 0);
	/* The nodes that dropped them: one that has done nothing, and the one before the link. */
	nodes = at(at(report, "fabric"), "nodes");
	assert_int_equal(json_object_array_length(nodes), 3);
	dropped = at(json_object_array_get_idx(nodes, 0), "dropped");
	assert_int_equal(json_object_object_length(dropped), 1);
	assert_int_equal(number(dropped, "no_link"), 1);
	dropped = at(json_object_array_get_idx(nodes, 1), "dropped");
	assert_int_equal(json_object_object_length(dropped), 0);
	dropped = at(json_object_array_get_idx(nodes, 2), "dropped");
	assert_int_equal(json_object_object_length(dropped), 1);
	assert_int_equal(number(dropped, "dead_node"), 1);
}

static void expect_shown(const char *question, bool json, const char *expected, bool there)
{
	char *answer = ask_scenario(&world, question, json);

	if (!strstr(answer, expected) == there)
		fail_msg("%s: \"%s\" in: %s", question, expected, answer);
	free(answer);
}

/* A switch that is dead loses a request, and one that has a cable out another. */
static void drops_of_a_node(void **state)
{
	expect_shown("show node left", false, "dropped", false);
	expect_shown("show node left", true, "\"dropped\":{}", true);
	tell(&world, "node left dead");
	send_directed(IB_ATTR_NODE_INFO, 2);
	send_directed(IB_ATTR_NODE_INFO, 2);
	tell(&world, "node left well");
	tell(&world, "link left:2 down");
	send_directed(IB_ATTR_NODE_INFO, 2);
	expect_shown("show node left", false, "\n  dropped: no_link 1, dead_node 2\n", true);
	expect_shown("show node left", true, "\"no_link\":1,\n", true);
	expect_shown("show node left", true, "\"dead_node\":2\n", true);
	expect_shown("show node right", false, "dropped", false);
}

static void nothing_was_asked(void **state)
{
	struct json_object *bound;

	make_report();
	bound = at(report, "lower_bound");
	assert_int_equal(number(bound, "ns"), 0);
	assert_null(at(bound, "busiest"));
	assert_int_equal(json_object_array_length(at(at(report, "fabric"), "nodes")), 0);
}

#define ON_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

static const struct CMUnitTest tests[] = {
	ON_WORLD(what_each_has_done), ON_WORLD(kinds),		ON_WORLD(longest_chain),
	ON_WORLD(busiest_node),	      ON_WORLD(busiest_smi),	ON_WORLD(drops),
	ON_WORLD(nothing_was_asked),  ON_WORLD(busiest_kernel), ON_WORLD(drops_of_the_host),
	ON_WORLD(drops_of_a_node),
};

TEST_MAIN(tests, NULL, NULL)
