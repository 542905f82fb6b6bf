/* SPDX-License-Identifier: BSD-2-Clause */
/* Flows: their rates on every port of the path, and on no other. */
#include <errno.h>
#include <string.h>

#include "pma_support.h"
#include "fabric/routing.h"

#define SECOND UINT64_C(1000000000)

static struct fabric *fabric;

static int set_up(void **state)
{
	int endpoint;

	wires_fill();
	fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	assert_int_equal(fabric_route(fabric, pma_node(fabric, "dual"), 1), 0);
	return 0;
}

static int tear_down(void **state)
{
	fabric_close(fabric);
	return 0;
}

static struct node *inner(const char *name)
{
	return &fabric->nodes[pma_node(fabric, name)->index];
}

static struct fabric_flow flow_to(const char *from, unsigned int port, uint16_t lid)
{
	return (struct fabric_flow){ .node = pma_node(fabric, from),
				     .port = port,
				     .lid = lid,
				     .sl = 2,
				     .bytes_per_second = 4096000,
				     .packet_bytes = 2048 };
}

static uint64_t shown(const char *node, unsigned int port, enum fabric_counter counter)
{
	uint64_t value;

	assert_int_equal(fabric_get_counter(fabric, pma_node(fabric, node), port, counter, &value),
			 0);
	return value;
}

static void expect_xmit(const char *node, unsigned int port, uint64_t packets)
{
	assert_int_equal(shown(node, port, FABRIC_XMIT_PKTS), packets);
	assert_int_equal(shown(node, port, FABRIC_UNICAST_XMIT_PKTS), packets);
	assert_int_equal(shown(node, port, FABRIC_MULTICAST_XMIT_PKTS), 0);
	assert_int_equal(shown(node, port, FABRIC_XMIT_DATA), packets * 512);
	assert_int_equal(shown(node, port, FABRIC_XMIT_DATA_SL + 2), packets * 512);
	assert_int_equal(shown(node, port, FABRIC_XMIT_DATA_SL), 0);
}

static void expect_rcv(const char *node, unsigned int port, uint64_t packets)
{
	assert_int_equal(shown(node, port, FABRIC_RCV_PKTS), packets);
	assert_int_equal(shown(node, port, FABRIC_UNICAST_RCV_PKTS), packets);
	assert_int_equal(shown(node, port, FABRIC_RCV_DATA), packets * 512);
	assert_int_equal(shown(node, port, FABRIC_RCV_DATA_SL + 2), packets * 512);
}

/* Returns the port by which "left" sends to "host": one of its two to "right". */
static unsigned int trunk(void)
{
	unsigned int out = inner("left")->lft[inner("host")->port[1].lid];

	assert_in_range(out, 2, 3);
	return out;
}

static void flow_counts_on_its_path_only(void **state)
{
	struct fabric_flow flow = flow_to("dual", 1, inner("host")->port[1].lid);
	unsigned int out = trunk();

	assert_int_equal(fabric_add_flow(fabric, &flow), 0);
	fabric_run(fabric, 3 * SECOND);
	expect_xmit("dual", 1, 6000);
	expect_rcv("left", 1, 6000);
	expect_xmit("left", out, 6000);
	expect_rcv("right", out, 6000);
	expect_xmit("right", 4, 6000);
	expect_rcv("host", 1, 6000);

	expect_rcv("dual", 1, 0);
	expect_xmit("dual", 2, 0);
	expect_xmit("left", 5 - out, 0);
	expect_rcv("right", 5 - out, 0);
	expect_xmit("right", 5, 0);
	expect_xmit("host", 1, 0);
	expect_rcv("left", 0, 0);
}

static void flows_add_up(void **state)
{
	const struct fabric_traffic traffic = { .rcv_bytes = 400, .rcv_packets = 1 };
	struct fabric_flow there = flow_to("dual", 1, inner("host")->port[1].lid);
	struct fabric_flow back = flow_to("host", 1, inner("dual")->port[1].lid);
	struct fabric_flow from_switch = flow_to("right", 0, inner("host")->port[1].lid);

	assert_int_equal(fabric_add_flow(fabric, &there), 0);
	fabric_run(fabric, SECOND);
	assert_int_equal(fabric_add_flow(fabric, &there), 0);
	assert_int_equal(fabric_add_flow(fabric, &back), 0);
	assert_int_equal(fabric_add_flow(fabric, &from_switch), 0);
	assert_int_equal(fabric_set_traffic(fabric, pma_node(fabric, "host"), 1, &traffic), 0);
	fabric_run(fabric, 3 * SECOND);
	expect_xmit("dual", 1, 10000);
	expect_xmit("right", 4, 14000);
	assert_int_equal(shown("host", 1, FABRIC_RCV_PKTS), 14002);
	assert_int_equal(shown("host", 1, FABRIC_RCV_DATA), 14000 * 512 + 200);
	expect_xmit("host", 1, 4000);
	fabric_clear_flows(fabric);
	fabric_run(fabric, 5 * SECOND);
	expect_xmit("dual", 1, 10000);
	assert_int_equal(shown("host", 1, FABRIC_RCV_PKTS), 14004);
}

static void flows_to_a_switch_and_to_the_sender(void **state)
{
	struct fabric_flow flow = flow_to("dual", 1, inner("right")->port[0].lid);

	assert_int_equal(fabric_add_flow(fabric, &flow), 0);
	flow.lid = inner("dual")->port[1].lid;
	assert_int_equal(fabric_add_flow(fabric, &flow), 0);
	fabric_run(fabric, SECOND);
	expect_xmit("dual", 1, 2000);
	assert_int_equal(shown("right", 2, FABRIC_RCV_PKTS) + shown("right", 3, FABRIC_RCV_PKTS),
			 2000);
	expect_rcv("right", 0, 0);
	expect_xmit("right", 4, 0);
}

static void nowhere(void **state)
{
	uint16_t host = inner("host")->port[1].lid;
	struct fabric_flow flow = flow_to("dual", 1, host);
	struct fabric_flow wrong;

	wrong = flow;
	wrong.packet_bytes = 0;
	assert_int_equal(fabric_add_flow(fabric, &wrong), -EINVAL);
	wrong = flow;
	wrong.sl = 16;
	assert_int_equal(fabric_add_flow(fabric, &wrong), -EINVAL);
	wrong = flow;
	wrong.port = 3;
	assert_int_equal(fabric_add_flow(fabric, &wrong), -EINVAL);
	wrong.port = 0;
	assert_int_equal(fabric_add_flow(fabric, &wrong), -EINVAL);
	wrong = flow_to("left", 1, host);
	assert_int_equal(fabric_add_flow(fabric, &wrong), -EINVAL);
	wrong = flow;
	wrong.bytes_per_second = 4 * FABRIC_MAX_RATE;
	assert_int_equal(fabric_add_flow(fabric, &wrong), -EINVAL);
	wrong.bytes_per_second = FABRIC_MAX_RATE;
	wrong.packet_bytes = 1;
	assert_int_equal(fabric_add_flow(fabric, &wrong), -EINVAL);
	wrong = flow;
	wrong.lid = 0x7777;
	assert_int_equal(fabric_add_flow(fabric, &wrong), -EHOSTUNREACH);
	wrong.lid = 0xffff;
	assert_int_equal(fabric_add_flow(fabric, &wrong), -EHOSTUNREACH);
	/* No CA passes anything on. */
	inner("right")->lft[host] = 5;
	assert_int_equal(fabric_add_flow(fabric, &flow), -EHOSTUNREACH);
	/* Round and round. */
	inner("right")->lft[host] = (uint8_t)trunk();
	assert_int_equal(fabric_add_flow(fabric, &flow), -EHOSTUNREACH);
	inner("right")->lft[host] = 0;
	assert_int_equal(fabric_add_flow(fabric, &flow), -EHOSTUNREACH);
	inner("right")->lft[host] = 8;
	assert_int_equal(fabric_add_flow(fabric, &flow), -EHOSTUNREACH);
	inner("right")->lft[host] = 200;
	assert_int_equal(fabric_add_flow(fabric, &flow), -EHOSTUNREACH);
	inner("right")->lft[host] = 4;
	fabric_set_health(fabric, pma_node(fabric, "right"), FABRIC_DEAD);
	assert_int_equal(fabric_add_flow(fabric, &flow), -EHOSTUNREACH);
	fabric_set_health(fabric, pma_node(fabric, "right"), FABRIC_WELL);
	fabric_set_health(fabric, pma_node(fabric, "dual"), FABRIC_DEAD);
	assert_int_equal(fabric_add_flow(fabric, &flow), -EHOSTUNREACH);
	fabric_set_health(fabric, pma_node(fabric, "dual"), FABRIC_WELL);
	fabric_set_health(fabric, pma_node(fabric, "host"), FABRIC_DEAD);
	assert_int_equal(fabric_add_flow(fabric, &flow), -EHOSTUNREACH);
	fabric_set_health(fabric, pma_node(fabric, "host"), FABRIC_WELL);
	assert_int_equal(fabric_set_cable(fabric, pma_node(fabric, "host"), 1, false), 0);
	assert_int_equal(fabric_add_flow(fabric, &flow), -EHOSTUNREACH);
	fabric_run(fabric, SECOND);
	expect_xmit("dual", 1, 0);
	assert_int_equal(fabric_lay_flows(fabric), 0);
}

/* A flow stays on its way until it is laid anew. */
static void another_way(void **state)
{
	uint16_t host = inner("host")->port[1].lid;
	struct fabric_flow flow = flow_to("dual", 1, host);
	unsigned int out = trunk();

	assert_int_equal(fabric_add_flow(fabric, &flow), 0);
	fabric_run(fabric, SECOND);
	inner("left")->lft[host] = (uint8_t)(5 - out);
	fabric_run(fabric, 2 * SECOND);
	expect_xmit("left", out, 4000);
	assert_int_equal(fabric_lay_flows(fabric), 0);
	fabric_run(fabric, 3 * SECOND);
	expect_xmit("left", out, 4000);
	expect_xmit("left", 5 - out, 2000);
	expect_xmit("right", 4, 6000);
	inner("left")->lft[host] = 0xff;
	assert_int_equal(fabric_lay_flows(fabric), 1);
	fabric_run(fabric, 4 * SECOND);
	expect_xmit("dual", 1, 6000);
	inner("left")->lft[host] = (uint8_t)out;
	assert_int_equal(fabric_lay_flows(fabric), 0);
	fabric_run(fabric, 5 * SECOND);
	expect_xmit("dual", 1, 8000);
	expect_xmit("left", out, 6000);
}

static void flows_over_the_rate_are_refused(void **state)
{
	struct fabric_flow flow = flow_to("dual", 1, inner("host")->port[1].lid);

	flow.bytes_per_second = 4 * FABRIC_MAX_RATE - 4;
	assert_int_equal(fabric_add_flow(fabric, &flow), 0);
	assert_int_equal(fabric_add_flow(fabric, &flow), -EINVAL);
	flow.bytes_per_second = 4;
	assert_int_equal(fabric_add_flow(fabric, &flow), 0);
	assert_int_equal(fabric_add_flow(fabric, &flow), -EINVAL);
}

/* A flow from a port to itself crosses no link, so that no counter fills up first. */
static void too_many(void **state)
{
	const struct fabric_flow flow = flow_to("dual", 1, inner("dual")->port[1].lid);
	unsigned int count = 0;
	int ret;

	while (!(ret = fabric_add_flow(fabric, &flow)))
		count++;
	assert_int_equal(ret, -ENOSPC);
	assert_int_equal(count, FABRIC_FLOWS);
	assert_int_equal(fabric_lay_flows(fabric), 0);
	fabric_clear_flows(fabric);
	assert_int_equal(fabric_add_flow(fabric, &flow), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	TEST(flow_counts_on_its_path_only),
	TEST(flows_add_up),
	TEST(flows_to_a_switch_and_to_the_sender),
	TEST(nowhere),
	TEST(another_way),
	TEST(flows_over_the_rate_are_refused),
	TEST(too_many),
};

TEST_MAIN(tests, NULL, NULL)
