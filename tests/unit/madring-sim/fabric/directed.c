/* SPDX-License-Identifier: BSD-2-Clause */
/* Directed routes with LID-routed parts, at either end and at both. */
#include <string.h>

#include <infiniband/mad.h>

#include "support.h"

#define LEAF_LID  2
#define SPINE_LID 3
#define NEAR_LID  4
#define FAR_LID	  8

#define LEAF_GUID  0x2c90300000010
#define SPINE_GUID 0x2c90300000020
#define FAR_GUID   0x2c90300002000

static struct fabric *fabric;
static int endpoint;

static void forward(unsigned int hops, const uint8_t *path, const uint8_t *ports)
{
	struct fabric_packet set = directed(IB_ATTR_LINEARFORWTBL, 0, hops, path), answer;

	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	memset(data_of(&set), 0xff, 64);
	memcpy(data_of(&set), ports, FAR_LID + 1);
	ask_status(fabric, endpoint, &set, 0, &answer);
	set = directed(IB_ATTR_SWITCH_INFO, 0, hops, path);
	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	mad_set_field(data_of(&set), 0, IB_SW_LINEAR_FDB_TOP_F, FAR_LID);
	ask_status(fabric, endpoint, &set, 0, &answer);
}

static int set_up(void **state)
{
	static const uint8_t leaf[] = { 255, 255, 0, 36, 1, 1, 1, 1, 2 };
	static const uint8_t spine[] = { 255, 255, 7, 0, 7, 7, 7, 7, 7 };

	fabric = open_fabric(read_data("saved.topology"), "node001 HCA-1", 1, &endpoint);
	forward(1, (const uint8_t[]){ 1 }, leaf);
	forward(2, (const uint8_t[]){ 1, 36 }, spine);
	return 0;
}

static int tear_down(void **state)
{
	fabric_close(fabric);
	return 0;
}

/* Makes a route of @hops between its parts: from this node to the LID @to, and then to @on. */
static struct fabric_packet route(uint16_t to, unsigned int hops, const uint8_t *path, uint16_t on)
{
	struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, hops, path);

	packet.dlid = to;
	if (to != 0xffff) {
		packet.slid = NEAR_LID;
		mad_set_field(packet.mad, 0, IB_DRSMP_DRSLID_F, NEAR_LID);
	}
	mad_set_field(packet.mad, 0, IB_DRSMP_DRDLID_F, on);
	return packet;
}

static void expect(const struct fabric_packet *packet, uint64_t guid)
{
	struct fabric_packet answer;

	ask_status(fabric, endpoint, packet, 0, &answer);
	assert_true(mad_get_field64(data_of(&answer), 0, IB_NODE_GUID_F) == guid);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_DRSMP_DIRECTION_F), 1);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_DRSMP_HOPPTR_F), 0);
}

static void expect_drop(const struct fabric_packet *packet, enum fabric_drop cause)
{
	uint64_t before = fabric_stats(fabric)->dropped[cause];
	struct fabric_packet answer;

	assert_false(ask(fabric, endpoint, packet, &answer));
	assert_int_equal(fabric_stats(fabric)->dropped[cause], before + 1);
}

static void lid_routed_at_the_start(void **state)
{
	struct fabric_packet packet = route(LEAF_LID, 1, (const uint8_t[]){ 36 }, 0xffff);

	expect(&packet, SPINE_GUID);
	packet = route(SPINE_LID, 2, (const uint8_t[]){ 7, 2 }, 0xffff);
	expect(&packet, FAR_GUID);
	packet = route(SPINE_LID, 0, NULL, 0xffff);
	expect(&packet, SPINE_GUID);
	/* A host passes nothing on. */
	packet = route(FAR_LID, 1, (const uint8_t[]){ 1 }, 0xffff);
	expect_drop(&packet, FABRIC_DROP_INVALID);
}

static void lid_routed_at_the_end(void **state)
{
	struct fabric_packet packet = route(0xffff, 1, (const uint8_t[]){ 1 }, SPINE_LID);

	expect(&packet, SPINE_GUID);
	packet = route(0xffff, 2, (const uint8_t[]){ 1, 36 }, FAR_LID);
	expect(&packet, FAR_GUID);
	packet = route(0xffff, 1, (const uint8_t[]){ 1 }, LEAF_LID);
	expect(&packet, LEAF_GUID);
	packet = route(0xffff, 1, (const uint8_t[]){ 1 }, 9);
	expect_drop(&packet, FABRIC_DROP_NO_ROUTE);
	/* A host at the end of the hops does not forward. */
	packet = route(0xffff, 2, (const uint8_t[]){ 1, 2 }, SPINE_LID);
	expect_drop(&packet, FABRIC_DROP_INVALID);
}

static void at_both(void **state)
{
	const struct fabric_packet packet = route(LEAF_LID, 1, (const uint8_t[]){ 36 }, FAR_LID);

	expect(&packet, FAR_GUID);
}

/* The answer goes where the route says it started: nowhere, when that LID is nobody's. */
static void start_at_unknown_lid(void **state)
{
	struct fabric_packet packet = route(LEAF_LID, 1, (const uint8_t[]){ 36 }, 0xffff);

	mad_set_field(packet.mad, 0, IB_DRSMP_DRSLID_F, 9);
	expect_drop(&packet, FABRIC_DROP_NO_ROUTE);
}

#define DIRECTED_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	DIRECTED_TEST(lid_routed_at_the_start),
	DIRECTED_TEST(lid_routed_at_the_end),
	DIRECTED_TEST(at_both),
	DIRECTED_TEST(start_at_unknown_lid),
};

TEST_MAIN(tests, NULL, NULL)
