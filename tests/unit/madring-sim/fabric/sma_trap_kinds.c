/* SPDX-License-Identifier: BSD-2-Clause */
/* The traps of managers that come and go, and of wrong M_Keys. */
#include <string.h>

#include "sma_managed.h"

#define KEY 0xabcdef

/* IsSM of a host is told to the manager that the host knows. */
static void manager_comes_and_goes(void **state)
{
	int other = fabric_attach(fabric, topology_find(fabric_topology(fabric), "host"), 1);
	struct fabric_port_state now;
	uint32_t mask;

	fabric_run(fabric, 20);
	fabric_port_state(fabric, other, &now);
	mask = now.capability_mask;
	assert_int_equal(mask & 2, 0);
	fabric_set_is_sm(fabric, other, false);
	assert_silence(20);
	fabric_set_is_sm(fabric, other, true);
	assert_trap(20, 144, HOST_LID);
	assert_int_equal(field(IB_NOTICE_TYPE_F), 4);
	assert_int_equal(field(IB_NOTICE_PRODUCER_F), NODE_CA);
	assert_int_equal(field(IB_NOTICE_DATA_144_LID_F), HOST_LID);
	assert_int_equal(field(IB_NOTICE_DATA_144_CAPMASK_F), mask | 2);
	repress(&answer, 20);
	fabric_set_is_sm(fabric, other, true);
	assert_silence(20 + INTERVAL);
	fabric_set_is_sm(fabric, other, false);
	assert_trap(20 + INTERVAL, 144, HOST_LID);
	assert_int_equal(field(IB_NOTICE_DATA_144_CAPMASK_F), mask);
}

static void protect_right(void)
{
	struct fabric_packet set = set_of(&right, IB_ATTR_PORT_INFO, 0);

	change(&set, IB_PORT_MKEY_F, KEY);
	send_set(&set, 0);
	mkey = KEY;
}

/* Returns the address of a detail of a wrong key in the notice. */
static const uint8_t *detail(unsigned int offset)
{
	return data_of(&answer) + offset;
}

static void wrong_key(void **state)
{
	static const uint8_t returns[] = { 1, 2 };
	struct fabric_packet packet = directed(IB_ATTR_PORT_INFO, 0x01020304, 2, right.path);

	protect_right();
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, SET);
	mad_set_field64(packet.mad, 0, IB_MAD_MKEY_F, 0x1122334455667788);
	fabric_send(fabric, endpoint, &packet, 20);
	assert_trap(20, 256, RIGHT_LID);
	assert_int_equal(field(IB_NOTICE_TYPE_F), 2);
	assert_int_equal(field(IB_NOTICE_PRODUCER_F), NODE_SWITCH);
	assert_memory_equal(detail(12), "\xff\xff", 2);				/* its source LID */
	assert_memory_equal(detail(14), "\xff\xff", 2);				/* DrSLID */
	assert_int_equal(*detail(16), SET);					/* method */
	assert_memory_equal(detail(18), "\x00\x15", 2);				/* attribute */
	assert_memory_equal(detail(20), "\x01\x02\x03\x04", 4);			/* modifier */
	assert_memory_equal(detail(24), "\x11\x22\x33\x44\x55\x66\x77\x88", 8); /* M_Key */
	assert_int_equal(*detail(33), 0x80 | 2); /* hops of the route */
	assert_memory_equal(detail(34), returns, sizeof(returns));
	/* No more of the kind until it is repressed, and with the right key. */
	fabric_send(fabric, endpoint, &packet, 25);
	assert_silence(25);
	mkey = 1;
	repress(&answer, 25);
	assert_trap(20 + INTERVAL, 256, RIGHT_LID);
	mkey = KEY;
	repress(&answer, 20 + INTERVAL);
	/* The last one of those that were not told: the repress with a wrong key. */
	assert_trap(20 + 2 * INTERVAL, 256, RIGHT_LID);
	assert_int_equal(*detail(16), REPRESS);
	assert_memory_equal(detail(12), "\x00\x01", 2);
	assert_int_equal(*detail(33), 0);
	repress(&answer, 20 + 2 * INTERVAL);
	assert_silence(20 + 9 * INTERVAL);
}

/* The notice has room for 30 hops of a longer path. */
static void wrong_key_from_afar(void **state)
{
	struct fabric_packet packet;
	uint8_t path[34];

	protect_right();
	memset(path, 2, sizeof(path)); /* to and fro between the switches */
	path[0] = 1;
	packet = directed(IB_ATTR_PORT_INFO, 0, sizeof(path), path);
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, SET);
	fabric_send(fabric, endpoint, &packet, 20);
	assert_trap(20, 256, RIGHT_LID);
	assert_int_equal(*detail(33), 0x80 | 0x40 | 30);
	assert_memory_equal(detail(35), path + 1, 29);
}

/* Each kind has its own trap under way. */
static void two_kinds(void **state)
{
	struct fabric_packet packet = directed(IB_ATTR_PORT_INFO, 0, 2, right.path);

	protect_right();
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, SET);
	fabric_send(fabric, endpoint, &packet, 20);
	assert_trap(20, 256, RIGHT_LID);
	set_cable("host", 1, false);
	assert_trap(20, 128, RIGHT_LID);
	repress(&answer, 20);
	assert_trap(20 + INTERVAL, 256, RIGHT_LID);
	assert_silence(20 + INTERVAL);
}

static const struct CMUnitTest tests[] = {
	TRAP_TEST(manager_comes_and_goes),
	TRAP_TEST(wrong_key),
	TRAP_TEST(wrong_key_from_afar),
	TRAP_TEST(two_kinds),
};

TEST_MAIN(tests, NULL, NULL)
