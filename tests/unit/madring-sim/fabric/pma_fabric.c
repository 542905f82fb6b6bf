/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The performance agents as a part of the fabric: the events that it counts itself, and the way to
 * an agent.
 */
#include <infiniband/mad.h>

#include "pma_support.h"
#include "fabric/routing.h"

static struct fabric *fabric;
static int endpoint;
static struct fabric_packet packet;

static int set_up(void **state)
{
	fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	return 0;
}

static int tear_down(void **state)
{
	fabric_close(fabric);
	return 0;
}

static uint64_t shown(const char *node, unsigned int port, enum fabric_counter counter)
{
	uint64_t value;

	assert_int_equal(fabric_get_counter(fabric, pma_node(fabric, node), port, counter, &value),
			 0);
	return value;
}

/* The fabric itself counts what passes its links and queues. */
static void links_and_queues(void **state)
{
	struct fabric_model narrow = { .service[NODE_CA] = 1000, .queue = 2 };
	struct fabric_packet smp;

	assert_int_equal(fabric_set_cable(fabric, pma_node(fabric, "right"), 4, false), 0);
	assert_int_equal(fabric_set_cable(fabric, pma_node(fabric, "right"), 4, false), 0);
	assert_int_equal(shown("right", 4, FABRIC_LINK_DOWNED), 1);
	assert_int_equal(shown("host", 1, FABRIC_LINK_DOWNED), 1);
	assert_int_equal(fabric_set_cable(fabric, pma_node(fabric, "right"), 4, true), 0);
	assert_int_equal(shown("right", 4, FABRIC_LINK_DOWNED), 1);
	fabric_set_health(fabric, pma_node(fabric, "host"), FABRIC_OFF);
	assert_int_equal(shown("right", 4, FABRIC_LINK_DOWNED), 2);
	assert_int_equal(shown("host", 1, FABRIC_LINK_DOWNED), 0);

	assert_int_equal(fabric_set_model(fabric, &narrow), 0);
	smp = directed(IB_ATTR_NODE_INFO, 0, 0, NULL);
	for (unsigned int i = 0; i < 5; i++)
		fabric_send(fabric, endpoint, &smp, 10);
	assert_int_equal(shown("dual", 1, FABRIC_VL15_DROPPED), 3);
}

/* Sets a cable, and discards the traps that the change of a link sets off. */
static void set_cable(const char *node, unsigned int port, bool in)
{
	struct fabric_packet trap;
	int at;

	assert_int_equal(fabric_set_cable(fabric, pma_node(fabric, node), port, in), 0);
	while (fabric_receive(fabric, 10, &at, &trap))
		assert_int_equal(trap.mad[3], 5);
}

static void lost_on_the_way(void **state)
{
	static const uint8_t to_nobody[] = { 1, 8 };
	struct fabric_packet answer, smp = directed(IB_ATTR_NODE_INFO, 0, 2, to_nobody);
	unsigned int in;

	assert_int_equal(fabric_route(fabric, pma_node(fabric, "dual"), 1), 0);
	packet = pma_packet(GET, PORT_COUNTERS, 1);
	packet.dlid = 0x1234;
	assert_false(ask(fabric, endpoint, &packet, &answer));
	assert_int_equal(shown("left", 1, FABRIC_RCV_SWITCH_RELAY_ERRORS), 1);
	assert_int_equal(shown("left", 1, FABRIC_DLID_MAPPING_ERRORS), 1);
	packet.dlid = fabric->nodes[pma_node(fabric, "host")->index].port[1].lid;
	in = fabric->nodes[pma_node(fabric, "left")->index].lft[packet.dlid];
	assert_true(ask(fabric, endpoint, &packet, &answer));
	set_cable("right", 4, false);
	assert_false(ask(fabric, endpoint, &packet, &answer));
	assert_int_equal(shown("right", 4, FABRIC_XMIT_DISCARDS), 1);
	assert_int_equal(shown("right", 4, FABRIC_INACTIVE_DISCARDS), 1);
	assert_int_equal(shown("right", in, FABRIC_RCV_SWITCH_RELAY_ERRORS), 0);
	/* The link is up again, but nobody has made it active. */
	set_cable("right", 4, true);
	assert_false(ask(fabric, endpoint, &packet, &answer));
	assert_int_equal(shown("right", 4, FABRIC_XMIT_DISCARDS), 2);
	assert_false(ask(fabric, endpoint, &smp, &answer));
	assert_int_equal(shown("left", 8, FABRIC_XMIT_DISCARDS), 1);
}

/* The request and its answer cross the fabric by LID. */
static void over_the_fabric(void **state)
{
	struct fabric_packet answer;

	packet = pma_packet(GET, PORT_COUNTERS, 4);
	assert_int_equal(fabric_route(fabric, pma_node(fabric, "dual"), 1), 0);
	packet.dlid = fabric->nodes[pma_node(fabric, "right")->index].port[0].lid;
	assert_int_equal(fabric_count(fabric, pma_node(fabric, "right"), 4, FABRIC_RCV_PKTS, 321),
			 0);
	assert_true(ask(fabric, endpoint, &packet, &answer));
	assert_int_equal(answer.mad[3], 0x81);
	assert_int_equal(answer.slid, packet.dlid);
	assert_int_equal(answer.sqp, 1);
	assert_int_equal(get_bits(answer.mad + PMA_DATA, 36 * 8, 32), 321);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	TEST(links_and_queues),
	TEST(lost_on_the_way),
	TEST(over_the_fabric),
};

TEST_MAIN(tests, NULL, NULL)
