/* SPDX-License-Identifier: BSD-2-Clause */
/* The walk over forwarding tables: it finds what is wrong with them, whatever it is. */
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "fabric/inside.h"
#include "fabric/routing.h"
#include "support.h"
#include "fabric/walk.h"

/*
 * dual [1] - left [1], dual [2] - right [1], host - right [4], router - right [5]; two cables from
 * left to right, by their ports 2 and 3; left [5] - left [6].
 */
static struct fabric *fabric;
static struct topology *topology;

static int set_up(void **state)
{
	int endpoint;

	topology = read_data("two-switches.net");
	fabric = open_fabric(topology, "dual", 1, &endpoint);
	return 0;
}

static int tear_down(void **state)
{
	fabric_close(fabric);
	return 0;
}

static struct node *node(const char *name)
{
	return &fabric->nodes[topology_find(topology, name)->index];
}

static void route(void)
{
	assert_int_equal(fabric_route(fabric, topology_find(topology, "dual"), 1), 0);
}

static uint16_t lid_of(const char *name, unsigned int port)
{
	return node(name)->port[port].lid;
}

static void show(const struct walk_failure *failure)
{
	print_message("%s:%u to %s:%u at %s: %s\n", failure->from->id, failure->from_port,
		      failure->to->id, failure->to_port, failure->at->id,
		      walk_end_name(failure->end));
}

/* Walks the fabric, and checks that each path is counted once by its end. */
static struct fabric_walk walk(void)
{
	struct fabric_walk walk;
	uint64_t ends = 0;

	assert_int_equal(fabric_walk(fabric, &walk), 0);
	assert_int_equal(walk.ended[WALK_UNKNOWN], 0);
	for (unsigned int i = 0; i < WALK_ENDS; i++)
		ends += walk.ended[i];
	assert_int_equal(ends, walk.host_ways + walk.switch_ways);
	assert_int_equal(walk.ended[WALK_REACHED],
			 walk.host_ways_reached + walk.switch_ways_reached);
	ends -= walk.ended[WALK_REACHED];
	assert_int_equal(walk.failure_count, ends < WALK_FAILURES ? ends : WALK_FAILURES);
	assert_int_equal(walk_is_complete(&walk), !ends);
	for (unsigned int i = 0; i < walk.failure_count; i++)
		show(&walk.failure[i]);
	return walk;
}

static void expect_failure(const struct walk_failure *failure, const char *from, const char *to,
			   const char *at, enum walk_end end)
{
	assert_string_equal(failure->from->id, from);
	assert_string_equal(failure->to->id, to);
	assert_string_equal(failure->at->id, at);
	assert_int_equal(failure->end, end);
}

static void nothing_is_configured(void **state)
{
	struct fabric_walk found = walk();

	assert_int_equal(found.host_ports, 4);
	assert_int_equal(found.switches, 2);
	assert_int_equal(found.host_ways, 4 * 3);
	assert_int_equal(found.ended[WALK_NO_LID], found.host_ways + found.switch_ways);
	assert_int_equal(found.failure[0].lid, 0);
}

static void all_is_well(void **state)
{
	struct fabric_walk found;

	route();
	found = walk();
	assert_int_equal(found.host_ports, 4);
	assert_int_equal(found.switches, 2);
	assert_int_equal(found.left_out, 0);
	assert_int_equal(found.host_ways_reached, 4 * 3);
	assert_int_equal(found.switch_ways_reached, 2 * 4 * 2);
}

/* Changes the entry of a switch for a host. Returns the walk after that. */
static struct fabric_walk with_entry(const char *at, const char *to, unsigned int port,
				     uint8_t entry)
{
	route();
	node(at)->lft[lid_of(to, port)] = entry;
	return walk();
}

static void no_entry(void **state)
{
	struct fabric_walk found = with_entry("right", "host", 1, LFT_DROP);

	/* The three other hosts' ports and both switches miss it. */
	assert_int_equal(found.ended[WALK_NO_ENTRY], 3 + 2);
	assert_int_equal(found.host_ways - found.host_ways_reached, 3);
	assert_int_equal(found.switch_ways - found.switch_ways_reached, 2);
	expect_failure(&found.failure[0], "dual", "host", "right", WALK_NO_ENTRY);
	assert_int_equal(found.failure[0].lid, lid_of("host", 1));
}

static void entry_above_the_top(void **state)
{
	struct fabric_walk found;
	uint32_t top;

	route();
	top = node("right")->lft_top--;
	found = walk();
	assert_false(walk_is_complete(&found));
	assert_int_equal(found.failure[0].lid, top);
	assert_int_equal(found.failure[0].end, WALK_NO_ENTRY);
	/* The table may lack the entry, too. */
	route();
	node("right")->lft_size = top;
	found = walk();
	assert_int_equal(found.failure[0].lid, top);
	assert_int_equal(found.failure[0].end, WALK_NO_ENTRY);
}

static void entries_that_lead_nowhere(void **state)
{
	static const uint8_t ports[] = { 0, 7, 100 };

	for (size_t i = 0; i < sizeof(ports); i++) {
		struct fabric_walk found = with_entry("right", "host", 1, ports[i]);

		assert_int_equal(found.ended[WALK_NO_LINK], 3 + 2);
		expect_failure(&found.failure[0], "dual", "host", "right", WALK_NO_LINK);
	}
}

static void astray(void **state)
{
	struct fabric_walk found = with_entry("right", "host", 1, 1);

	assert_int_equal(found.ended[WALK_ASTRAY], 3 + 2);
	expect_failure(&found.failure[0], "dual", "host", "dual", WALK_ASTRAY);
}

static void loop(void **state)
{
	struct fabric_walk found = with_entry("right", "host", 1, 3);

	assert_int_equal(found.ended[WALK_LOOP], 3 + 2);
	assert_int_equal(found.failure[0].end, WALK_LOOP);
	/* The entry points to the cable from a switch to itself. */
	found = with_entry("left", "host", 1, 5);
	assert_int_equal(found.ended[WALK_LOOP], found.host_ways - found.host_ways_reached +
							 found.switch_ways -
							 found.switch_ways_reached);
	assert_true(found.ended[WALK_LOOP] >= 2);
}

static void port_that_is_not_active(void **state)
{
	struct fabric_walk found;

	route();
	mad_set_field(node("right")->port[4].port_info, 0, IB_PORT_STATE_F, PORT_ARMED);
	found = walk();
	assert_int_equal(found.ended[WALK_INACTIVE], 3 + 2);
	expect_failure(&found.failure[0], "dual", "host", "right", WALK_INACTIVE);
	/* The end that receives may be armed, but not in Init. */
	route();
	mad_set_field(node("right")->port[1].port_info, 0, IB_PORT_STATE_F, PORT_INIT);
	found = walk();
	/*
	 * The paths are those from dual's second port, and to it from the other three, and the
	 * switches.
	 */
	assert_int_equal(found.ended[WALK_INACTIVE], 3 + 2 + 3 + 2);
	route();
	mad_set_field(node("host")->port[1].port_info, 0, IB_PORT_STATE_F, PORT_ARMED);
	found = walk();
	assert_int_equal(found.ended[WALK_INACTIVE], 3 + 2);
	assert_int_equal(found.host_ways - found.host_ways_reached, 3);
	expect_failure(&found.failure[0], "host", "dual", "host", WALK_INACTIVE);
}

static void lid_of_two_ports(void **state)
{
	struct fabric_walk found;

	route();
	node("host")->port[1].lid = lid_of("dual", 2);
	found = walk();
	assert_int_equal(found.ended[WALK_REACHED] + found.ended[WALK_ASTRAY],
			 found.host_ways + found.switch_ways);
	assert_true(found.ended[WALK_ASTRAY] >= 3);
	/* A host's, and a switch's, which takes all that is for it. */
	route();
	node("host")->port[1].lid = lid_of("left", 0);
	found = walk();
	assert_true(found.ended[WALK_ASTRAY] >= 2);
}

static void every_lid_of_a_port(void **state)
{
	uint16_t lid;
	struct fabric_walk found;

	route();
	node("host")->port[1].lid = lid = 8;
	node("host")->port[1].lmc = 2;
	node("left")->lft_top = node("right")->lft_top = 11;
	memset(node("left")->lft + lid, 2, 4);
	memset(node("right")->lft + lid, 4, 4);
	found = walk();
	assert_true(walk_is_complete(&found));
	assert_int_equal(found.host_ways, 3 * 3 + 3 * 4);
	node("right")->lft[lid + 3] = LFT_DROP;
	found = walk();
	assert_int_equal(found.ended[WALK_NO_ENTRY], 3 + 2);
	assert_int_equal(found.failure[0].lid, lid + 3);
}

static void cables_and_nodes_that_fail(void **state)
{
	struct fabric_walk found;

	route();
	assert_int_equal(fabric_set_cable(fabric, topology_find(topology, "left"), 2, false), 0);
	assert_int_equal(fabric_set_cable(fabric, topology_find(topology, "left"), 3, false), 0);
	found = walk();
	assert_true(found.ended[WALK_NO_LINK] > 0);
	assert_int_equal(found.left_out, 0);
	assert_int_equal(fabric_set_cable(fabric, topology_find(topology, "left"), 2, true), 0);
	route();
	found = walk();
	assert_true(walk_is_complete(&found));
	/* A host without a link is not counted as a destination. */
	assert_int_equal(fabric_set_cable(fabric, topology_find(topology, "host"), 1, false), 0);
	found = walk();
	assert_true(walk_is_complete(&found));
	assert_int_equal(found.host_ports, 3);
	assert_int_equal(found.left_out, 1);
	fabric_set_health(fabric, topology_find(topology, "right"), FABRIC_DEAD);
	found = walk();
	assert_true(found.ended[WALK_DEAD] > 0);
	assert_int_equal(found.switches, 1);
}

/* The fabric is two hosts and a cable. */
static void without_a_switch(void **state)
{
	static const char text[] = "Hca 1 \"a\"\n[1] \"b\"[2]\n\nHca 2 \"b\"\n[2] \"a\"[1]\n";
	struct topology_error error;
	struct fabric_walk found;
	int endpoint;

	fabric_close(fabric);
	assert_int_equal(read_text(&topology, text, sizeof(text) - 1, &error), 0);
	fabric = open_fabric(topology, "a", 1, &endpoint);
	found = walk();
	assert_int_equal(found.ended[WALK_NO_LID], 2);
	assert_int_equal(fabric_route(fabric, topology_find(topology, "b"), 2), 0);
	found = walk();
	assert_true(walk_is_complete(&found));
	assert_int_equal(found.host_ways, 2);
	assert_int_equal(lid_of("b", 1), 0);
	mad_set_field(node("b")->port[2].port_info, 0, IB_PORT_STATE_F, PORT_INIT);
	found = walk();
	assert_int_equal(found.ended[WALK_INACTIVE], 2);
}

/* Counts the hosts' packets, other than SMPs, that arrive where they should. */
static uint64_t count_arrivals(const int *endpoints, struct node *const *hosts, unsigned int count)
{
	struct fabric_packet packet = { .sqp = 1, .dqp = 1 }, out;
	uint64_t arrived = 0;
	int at;

	mad_set_field(packet.mad, 0, IB_MAD_BASEVER_F, 1);
	mad_set_field(packet.mad, 0, IB_MAD_MGMTCLASS_F, 0x32);
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, GET | 0x80);
	for (unsigned int i = 0; i < count; i++) {
		for (unsigned int j = 0; j < count; j++) {
			packet.dlid = hosts[j]->port[1].lid;
			if (i == j)
				continue;
			fabric_send(fabric, endpoints[i], &packet, 10);
			while (fabric_receive(fabric, 10, &at, &out))
				arrived += at == endpoints[j];
		}
	}
	return arrived;
}

static void break_something(unsigned int *seed)
{
	size_t count = fabric->topology->node_count;
	struct node *victim = &fabric->nodes[(size_t)rand_r(seed) % count];
	unsigned int number = 1 + (unsigned int)rand_r(seed) % victim->port_count;

	if (victim->type == NODE_SWITCH && rand_r(seed) % 4)
		victim->lft[(unsigned int)rand_r(seed) % victim->lft_size] = (uint8_t)number;
	else if (rand_r(seed) % 3)
		mad_set_field(victim->port[number].port_info, 0, IB_PORT_STATE_F,
			      PORT_INIT + (unsigned int)rand_r(seed) % 3);
	else if (victim->type == NODE_SWITCH)
		fabric_set_cable(fabric, victim->topology, number, false);
}

/* The walk's count of complete paths is that of the packets that arrive. */
static void packets_go_the_same_way(void **state)
{
	unsigned int seed = 3, i, hosts;
	struct fabric_walk found;
	struct node *host[32];
	int endpoint[32];

	for (unsigned int round = 0; round < 100; round++) {
		fabric_close(fabric);
		topology = generate("torus:4x4,hosts=2");
		fabric = open_fabric(topology, topology->nodes[0]->id, 1, &endpoint[0]);
		for (i = 0, hosts = 0; i < topology->node_count; i++) {
			if (topology->nodes[i]->type != NODE_CA)
				continue;
			host[hosts] = &fabric->nodes[i];
			endpoint[hosts++] = fabric_attach(fabric, topology->nodes[i], 1);
		}
		assert_int_equal(hosts, 32);
		assert_int_equal(fabric_route(fabric, topology->nodes[0], 1), 0);
		for (i = 0; i < round; i++)
			break_something(&seed);
		assert_int_equal(fabric_walk(fabric, &found), 0);
		assert_int_equal(found.host_ways_reached, count_arrivals(endpoint, host, hosts));
	}
	assert_in_range(found.host_ways_reached, 1, found.host_ways - 1);
}

#define WALK_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	WALK_TEST(nothing_is_configured),
	WALK_TEST(all_is_well),
	WALK_TEST(no_entry),
	WALK_TEST(entry_above_the_top),
	WALK_TEST(entries_that_lead_nowhere),
	WALK_TEST(astray),
	WALK_TEST(loop),
	WALK_TEST(port_that_is_not_active),
	WALK_TEST(lid_of_two_ports),
	WALK_TEST(every_lid_of_a_port),
	WALK_TEST(cables_and_nodes_that_fail),
	WALK_TEST(without_a_switch),
	WALK_TEST(packets_go_the_same_way),
};

TEST_MAIN(tests, NULL, NULL)
