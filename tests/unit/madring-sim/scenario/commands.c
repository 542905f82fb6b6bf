/* SPDX-License-Identifier: BSD-2-Clause */
/* Each command takes effect at its time, on the objects that it names. */
#include <stdlib.h>

#include "scenario_fixture.h"
#include "fabric/routing.h"
#include "fabric/traffic.h"

static struct world world;

static int open_two_switches(void **state)
{
	world_open(&world, read_data("two-switches.net"), 1);
	return 0;
}

static int open_tree(void **state)
{
	world_open(&world, generate("fat-tree:leafs=4,spines=2,hosts=8"), 1);
	return 0;
}

static int close_world(void **state)
{
	world_close(&world);
	return 0;
}

static void numbers_of_the_model(void **state)
{
	const struct fabric_model *model = fabric_model(world.fabric);

	tell(&world, "set hop 600ns");
	tell(&world, "set transit 4us");
	tell(&world, "set service.ca 12us");
	tell(&world, "set service.switch 0.018ms");
	tell(&world, "set service.router 0");
	tell(&world, "set queue 64");
	tell(&world, "set local-service 1500ns");
	tell(&world, "set local-vl15 32768");
	tell(&world, "set local-receive-buffers 512");
	tell(&world, "set loss 0.25");
	tell(&world, "set duplicate 1");
	tell(&world, "set reorder 1e-3");
	tell(&world, "set reorder-delay 1.5s");
	tell(&world, "set corrupt 0");
	tell(&world, "set training 2min");
	assert_int_equal(model->hop, 600);
	assert_int_equal(model->transit, 4000);
	assert_int_equal(model->service[NODE_CA], 12000);
	assert_int_equal(model->service[NODE_SWITCH], 18000);
	assert_int_equal(model->queue, 64);
	assert_int_equal(model->local_service, 1500);
	assert_int_equal(model->local_vl15, 32768);
	assert_int_equal(model->local_receive_buffers, 512);
	assert_true(model->loss >= 0.25 && model->loss <= 0.25);
	assert_true(model->duplicate >= 1 && model->reorder > 0.00099);
	assert_int_equal(model->reorder_delay, 1500 * MS);
	assert_int_equal(model->training, 120000 * MS);
	tell(&world, "profile real");
	assert_memory_equal(model, &fabric_modelled, sizeof(*model));
	tell(&world, "profile ideal");
	assert_memory_equal(model, &fabric_ideal, sizeof(*model));
}

/* Returns the P_Key at an index of the table of the host's first port. */
static uint16_t pkey_of_host(unsigned int index)
{
	const struct topology *topology = fabric_topology(world.fabric);
	uint16_t pkeys[FABRIC_PKEYS];
	int endpoint = fabric_attach(world.fabric, topology_find(topology, "host"), 1);

	assert_true(endpoint >= 0);
	assert_true(index < fabric_pkeys(world.fabric, endpoint, pkeys));
	return pkeys[index];
}

static void partitions(void **state)
{
	assert_int_equal(pkey_of_host(0), 0xffff);
	assert_int_equal(pkey_of_host(40), 0);
	tell(&world, "node host pkey 0 0x7fff");
	tell(&world, "node host pkey 40 32769");
	assert_int_equal(pkey_of_host(0), 0x7fff);
	assert_int_equal(pkey_of_host(40), 0x8001);
	assert_int_equal(pkey_of_host(39), 0);
	assert_int_equal(pkey_of_host(41), 0);
	tell(&world, "node host pkey 40 0");
	assert_int_equal(pkey_of_host(40), 0);
	assert_int_equal(pkey_of_host(0), 0x7fff);
}

static void nodes(void **state)
{
	struct fabric_node_view view;
	const struct topology_node *host = topology_find(fabric_topology(world.fabric), "host");

	tell(&world, "node host hung");
	assert_int_equal(health_of(&world, "host"), FABRIC_HUNG);
	tell(&world, "node \"host HCA-1\" dead");
	assert_int_equal(health_of(&world, "host"), FABRIC_DEAD);
	tell(&world, "node 'host H*' off");
	assert_int_equal(health_of(&world, "host"), FABRIC_OFF);
	assert_false(link_is_up(&world, "right", 4));
	tell(&world, "node host well  # again");
	assert_int_equal(health_of(&world, "host"), FABRIC_WELL);
	assert_true(link_is_up(&world, "right", 4));
	tell(&world, "node host service 100us");
	tell(&world, "node host late 500ms");
	tell(&world, "node host stall 1ms");
	fabric_view_node(world.fabric, host, &view);
	assert_int_equal(view.service, 100 * US);
	assert_int_equal(view.lateness, 500 * MS);
	tell(&world, "node host service model");
	fabric_view_node(world.fabric, host, &view);
	assert_int_equal(view.service, 0);
	tell(&world, "node '*' dead");
	assert_int_equal(count_health(&world, FABRIC_DEAD), 5);
}

static void links(void **state)
{
	tell(&world, "link left:2 down");
	assert_false(link_is_up(&world, "left", 2));
	assert_false(link_is_up(&world, "right", 2));
	assert_true(link_is_up(&world, "left", 3));
	tell(&world, "link 'right:*' up");
	assert_true(link_is_up(&world, "left", 2));
	tell(&world, "link '*:*' down");
	assert_false(link_is_up(&world, "dual", 2));
	assert_false(link_is_up(&world, "left", 6));
	tell(&world, "link \"host HCA-1\":1 up");
	assert_true(link_is_up(&world, "right", 4));
}

/* A pattern that matches both ends of a cable changes the link once. */
static void each_link_once(void **state)
{
	char *text = ask_scenario(&world, "show links", false);

	assert_string_equal(text, "dual:1 left:1 Initialize LinkUp\n"
				  "dual:2 right:1 Initialize LinkUp\n"
				  "left:2 right:2 Initialize LinkUp\n"
				  "left:3 right:3 Initialize LinkUp\n"
				  "left:5 left:6 Initialize LinkUp\n"
				  "right:4 host:1 Initialize LinkUp\n"
				  "right:5 router:1 Initialize LinkUp\n");
	free(text);
	text = ask_scenario(&world, "show links 'left:[26]'", false);
	assert_string_equal(text, "left:2 right:2 Initialize LinkUp\n"
				  "left:6 left:5 Initialize LinkUp\n");
	free(text);
}

static void picks_come_from_the_seed(void **state)
{
	struct world other;
	size_t same = 0, hosts = 32;
	const char *name;

	tell(&world, "node 8 of '*' dead");
	assert_int_equal(count_health(&world, FABRIC_DEAD), 8);
	world_open(&other, generate("fat-tree:leafs=4,spines=2,hosts=8"), 1);
	tell(&other, "node 8 of '*' dead");
	for (size_t i = 0; i < hosts; i++) {
		name = fabric_topology(world.fabric)->nodes[i]->id;
		assert_int_equal(health_of(&world, name), health_of(&other, name));
	}
	world_close(&other);
	world_open(&other, generate("fat-tree:leafs=4,spines=2,hosts=8"), 2);
	tell(&other, "node 8 of '*' dead");
	for (size_t i = 0; i < hosts; i++) {
		name = fabric_topology(world.fabric)->nodes[i]->id;
		same += health_of(&world, name) == health_of(&other, name);
	}
	assert_true(same < hosts);
	world_close(&other);
}

static void times(void **state)
{
	static const char text[] = "# a comment\n"
				   "\n"
				   "node host hung\n"
				   "5ms node host dead\n"
				   "+5ms node host well # after the line before\r\n"
				   "7ms node host off\n"
				   "at 20ms every 2ms until 24ms node 'host' hung\n"
				   "21ms every 2ms until +2ms node host well";

	assert_int_equal(read_scenario(&world, text, sizeof(text) - 1), 0);
	assert_int_equal(health_of(&world, "host"), FABRIC_WELL);
	fabric_run(world.fabric, 0);
	assert_int_equal(health_of(&world, "host"), FABRIC_HUNG);
	fabric_run(world.fabric, 5 * MS - 1);
	assert_int_equal(health_of(&world, "host"), FABRIC_HUNG);
	fabric_run(world.fabric, 5 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_DEAD);
	fabric_run(world.fabric, 7 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_OFF);
	fabric_run(world.fabric, 10 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_WELL);
	fabric_run(world.fabric, 20 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_HUNG);
	fabric_run(world.fabric, 21 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_WELL);
	fabric_run(world.fabric, 22 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_HUNG);
	fabric_run(world.fabric, 23 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_WELL);
	fabric_run(world.fabric, 24 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_HUNG);
	fabric_run(world.fabric, 60 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_HUNG);
	assert_int_equal(fabric_next_event(world.fabric), FABRIC_NEVER);
	tell(&world, "at +1ms node host well");
	tell_wrong(&world, "at 59ms node host well", "past");
	fabric_run(world.fabric, 61 * MS);
	assert_int_equal(health_of(&world, "host"), FABRIC_WELL);
}

static void flaps(void **state)
{
	tell(&world, "link right:4 flap 10ms 3ms 4");
	tell(&world, "node router flap 4ms");
	for (uint64_t time = 0; time < 60 * MS; time += MS) {
		fabric_run(world.fabric, time);
		assert_int_equal(link_is_up(&world, "host", 1),
				 time >= 40 * MS || time % (10 * MS) >= 3 * MS);
		assert_int_equal(health_of(&world, "router"),
				 time % (4 * MS) < 2 * MS ? FABRIC_OFF : FABRIC_WELL);
	}
	fabric_run(world.fabric, 61 * MS);
	assert_int_equal(health_of(&world, "router"), FABRIC_OFF);
	tell(&world, "at +1s node host dead");
	tell(&world, "cancel");
	fabric_run(world.fabric, 5000 * MS);
	assert_int_equal(health_of(&world, "router"), FABRIC_WELL);
	assert_int_equal(health_of(&world, "host"), FABRIC_WELL);
	assert_int_equal(fabric_next_event(world.fabric), FABRIC_NEVER);
}

/* Each time the command picks other nodes, and never more than it names. */
static void each_time_picks_anew(void **state)
{
	bool seen[38] = { false };
	size_t count = 0;

	tell(&world, "every 1ms node 1 of 'leaf-*' flap 500us 100us 1");
	tell(&world, "every 1ms node 1 of '*' flap 500us 100us 1");
	for (uint64_t time = 0; time < 500 * MS; time += 100 * US) {
		fabric_run(world.fabric, time);
		assert_true(count_health(&world, FABRIC_OFF) <= 2);
		for (size_t i = 0; i < 38; i++)
			seen[i] |= health_of(&world, fabric_topology(world.fabric)->nodes[i]->id) ==
				   FABRIC_OFF;
	}
	for (size_t i = 0; i < 38; i++)
		count += seen[i];
	assert_int_equal(count, 38);
}

static void what_is_shown_can_be_set(void **state)
{
	char *text, *line, *end;

	tell(&world, "profile real");
	tell(&world, "set loss 0.015");
	text = ask_scenario(&world, "show model", false);
	tell(&world, "profile ideal");
	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		*end = '\0';
		tell(&world, line);
	}
	free(text);
	assert_int_equal(fabric_model(world.fabric)->training, fabric_modelled.training);
	assert_int_equal(fabric_model(world.fabric)->hop, fabric_modelled.hop);
	assert_true(fabric_model(world.fabric)->loss > 0.0149);
	text = ask_scenario(&world, "show model", true);
	assert_non_null(strstr(text, "\"loss\":0.015,"));
	free(text);
	text = ask_scenario(&world, "show node host", false);
	assert_non_null(strstr(text, "\"host HCA-1\""));
	free(text);
	text = ask_scenario(&world, "show node 'l*'", true);
	assert_non_null(strstr(text, "\"physical_state\":\"LinkUp\""));
	free(text);
	text = ask_scenario(&world, "show links left:1", true);
	assert_non_null(strstr(text, "\"state\":\"Initialize\""));
	free(text);
	text = ask_scenario(&world, "walk", false);
	assert_non_null(strstr(text, "no LID"));
	free(text);
	text = ask_scenario(&world, "walk", true);
	assert_non_null(strstr(text, "\"complete\":false"));
	free(text);
}

static uint64_t counter_of(const char *node, unsigned int port, enum fabric_counter counter)
{
	const struct topology_node *where = topology_find(fabric_topology(world.fabric), node);
	uint64_t value;

	assert_int_equal(fabric_get_counter(world.fabric, where, port, counter, &value), 0);
	return value;
}

static void counters(void **state)
{
	char *text;

	assert_int_equal(fabric_route(world.fabric, fabric_topology(world.fabric)->nodes[0], 1), 0);
	tell(&world, "traffic 'host-00-*:1' xmit-bytes 4k xmit-packets 2 sl 0 1 sl 5 1");
	tell(&world, "error host-01-00:1 SymbolErrorCounter 5");
	tell(&world, "count 'leaf-0?:*' linkdownedcounter 3");
	tell(&world, "counter leaf-00:0 PortXmitWait 2G");
	tell(&world, "flow 'host-02-*:1' host-03-00:1 8M sl 2 packet 1000");
	fabric_run(world.fabric, 1000 * MS);
	assert_int_equal(counter_of("host-00-03", 1, FABRIC_XMIT_DATA), 1000);
	assert_int_equal(counter_of("host-00-03", 1, FABRIC_XMIT_DATA_SL + 5), 500);
	assert_int_equal(counter_of("host-00-03", 1, FABRIC_XMIT_PKTS), 2);
	assert_int_equal(counter_of("host-01-00", 1, FABRIC_SYMBOL_ERRORS), 5);
	assert_int_equal(counter_of("leaf-02", 1, FABRIC_LINK_DOWNED), 3);
	assert_int_equal(counter_of("leaf-00", 0, FABRIC_XMIT_WAIT), 2000000000);
	assert_int_equal(counter_of("host-03-00", 1, FABRIC_RCV_DATA), 16000000);
	assert_int_equal(counter_of("host-03-00", 1, FABRIC_RCV_PKTS), 64000);
	assert_int_equal(counter_of("host-03-00", 1, FABRIC_RCV_DATA_SL + 2), 16000000);
	tell(&world, "traffic 'host-00-*:1' off");
	tell(&world, "flows clear");
	fabric_run(world.fabric, 2000 * MS);
	assert_int_equal(counter_of("host-00-03", 1, FABRIC_XMIT_DATA), 1000);
	assert_int_equal(counter_of("host-03-00", 1, FABRIC_RCV_DATA), 16000000);
	text = ask_scenario(&world, "show counters leaf-00:0", false);
	assert_string_equal(text, "leaf-00:0 LinkDownedCounter 3\n"
				  "leaf-00:0 PortXmitWait 2000000000\n");
	free(text);
	text = ask_scenario(&world, "show counters leaf-00:0", true);
	assert_non_null(strstr(text, "\"LinkDownedCounter\":3"));
	free(text);
}

/* A flow whose path is cut carries nothing until it is laid anew. */
static void flows_are_laid_anew(void **state)
{
	uint64_t before;

	assert_int_equal(fabric_route(world.fabric, fabric_topology(world.fabric)->nodes[0], 1), 0);
	tell(&world, "flow host-00-00:1 host-00-01:1 4k");
	tell(&world, "link host-00-01:1 down");
	tell(&world, "flows lay");
	fabric_run(world.fabric, 1000 * MS);
	before = counter_of("host-00-01", 1, FABRIC_RCV_DATA);
	fabric_run(world.fabric, 2000 * MS);
	assert_int_equal(counter_of("host-00-01", 1, FABRIC_RCV_DATA), before);
}

#define ON(open, test) cmocka_unit_test_setup_teardown(test, open, close_world)

static const struct CMUnitTest tests[] = {
	ON(open_two_switches, numbers_of_the_model),
	ON(open_two_switches, nodes),
	ON(open_two_switches, partitions),
	ON(open_two_switches, links),
	ON(open_two_switches, each_link_once),
	ON(open_tree, picks_come_from_the_seed),
	ON(open_two_switches, times),
	ON(open_two_switches, flaps),
	ON(open_tree, each_time_picks_anew),
	ON(open_two_switches, what_is_shown_can_be_set),
	ON(open_tree, counters),
	ON(open_tree, flows_are_laid_anew),
};

TEST_MAIN(tests, NULL, NULL)
