/* SPDX-License-Identifier: BSD-2-Clause */
/* M_Keys: who may read and set which attribute, at each level of protection, and for how long. */
#include <string.h>

#include "sma_support.h"

#define KEY	    0x1122334455667788
#define WRONG_KEY   0x1122334455667789
#define SECOND	    1000000000ull
#define REPRESS	    0x07
#define NOTICE_TYPE 0x02

static struct fabric_packet packet_of(uint8_t method, uint16_t attribute, const struct route *route,
				      uint64_t key)
{
	struct fabric_packet packet = directed(attribute, 0, route->hops, route->path);

	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, method);
	mad_set_field64(packet.mad, 0, IB_MAD_MKEY_F, key);
	return packet;
}

/* Tells whether a packet is answered at a time; it may be dropped because of its key only. */
static bool answered_at(const struct fabric_packet *packet, uint64_t now)
{
	uint64_t before = fabric_stats(fabric)->dropped[FABRIC_DROP_KEY];
	int at;

	fabric_send(fabric, endpoint, packet, now);
	if (fabric_receive(fabric, now, &at, &answer))
		return true;
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_KEY], before + 1);
	return false;
}

static bool answered(uint8_t method, uint16_t attribute, const struct route *route, uint64_t key)
{
	struct fabric_packet packet = packet_of(method, attribute, route, key);

	return answered_at(&packet, 10);
}

static void protect(const struct route *route, uint64_t key, uint32_t bits, uint32_t lease)
{
	struct fabric_packet set = set_of(route, IB_ATTR_PORT_INFO, 0);

	change(&set, IB_PORT_MKEY_F, key);
	change(&set, IB_PORT_MKEY_PROT_BITS_F, bits);
	change(&set, IB_PORT_MKEY_LEASE_F, lease);
	send_set(&set, 0);
	assert_int_equal(field64(IB_PORT_MKEY_F), key);
	mkey = key;
}

static uint32_t violations(const struct route *route)
{
	get(route, IB_ATTR_PORT_INFO, 0, 0);
	return field(IB_PORT_MKEY_VIOL_F);
}

static void without_a_key(void **state)
{
	for (uint32_t bits = 0; bits <= 3; bits++) {
		protect(&left, 0, bits, 0);
		assert_true(answered(GET, IB_ATTR_PORT_INFO, &left, WRONG_KEY));
		assert_true(answered(SET, IB_ATTR_SWITCH_INFO, &left, WRONG_KEY));
	}
	assert_int_equal(violations(&left), 0);
}

/* Every level is tried for Get, Set and TrapRepress, with the right key, none and a wrong one. */
static void levels(void **state)
{
	static const struct route *const nodes[] = { &left, &host, &router };
	static const uint64_t wrong[] = { 0, WRONG_KEY, UINT64_MAX };
	uint32_t count;

	for (size_t i = 0; i < 3; i++) {
		mkey = 0;
		for (uint32_t bits = 0; bits <= 3; bits++) {
			protect(nodes[i], KEY, bits, 0);
			count = violations(nodes[i]);
			assert_true(answered(GET, IB_ATTR_NODE_INFO, nodes[i], KEY));
			assert_true(answered(SET, IB_ATTR_GUID_INFO, nodes[i], KEY));
			assert_int_equal(violations(nodes[i]), count);
			for (size_t j = 0; j < 3; j++) {
				assert_int_equal(
					answered(GET, IB_ATTR_NODE_INFO, nodes[i], wrong[j]),
					bits < 2);
				assert_int_equal(
					answered(GET, IB_ATTR_PORT_INFO, nodes[i], wrong[j]),
					bits < 2);
				count += bits < 2 ? 0 : 2;
				assert_false(answered(SET, IB_ATTR_GUID_INFO, nodes[i], wrong[j]));
				assert_false(answered(REPRESS, NOTICE_TYPE, nodes[i], wrong[j]));
				count += 2;
				assert_int_equal(violations(nodes[i]), count);
			}
		}
	}
}

/* Everybody can read the key itself at level 0; from 1 on, only who knows it. */
static void reading_the_key(void **state)
{
	protect(&left, KEY, 0, 0);
	assert_true(answered(GET, IB_ATTR_PORT_INFO, &left, 0));
	assert_int_equal(field64(IB_PORT_MKEY_F), KEY);
	protect(&left, KEY, 1, 0);
	assert_true(answered(GET, IB_ATTR_PORT_INFO, &left, WRONG_KEY));
	assert_int_equal(field64(IB_PORT_MKEY_F), 0);
	assert_int_equal(field(IB_PORT_MKEY_PROT_BITS_F), 1);
	assert_true(answered(GET, IB_ATTR_PORT_INFO, &left, KEY));
	assert_int_equal(field64(IB_PORT_MKEY_F), KEY);
}

/* A host's ports have a key each; one does not give away the other's. */
static void keys_of_two_ports(void **state)
{
	struct fabric_packet packet = directed(IB_ATTR_PORT_INFO, 2, 0, NULL);
	int other = fabric_attach(fabric, topology_find(fabric_topology(fabric), "dual"), 2);
	struct fabric_packet set = directed(IB_ATTR_PORT_INFO, 2, 0, NULL);

	ask_status(fabric, other, &packet, 0, &answer);
	memcpy(data_of(&set), data_of(&answer), IB_SMP_DATA_SIZE);
	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	change(&set, IB_PORT_LID_F, 1);
	change(&set, IB_PORT_SMLID_F, 1);
	change(&set, IB_PORT_STATE_F, 0);
	change(&set, IB_PORT_PHYS_STATE_F, 0);
	change(&set, IB_PORT_MKEY_F, KEY);
	change(&set, IB_PORT_MKEY_PROT_BITS_F, 2);
	ask_status(fabric, other, &set, 0, &answer);
	ask_status(fabric, endpoint, &packet, 0, &answer);
	assert_int_equal(field64(IB_PORT_MKEY_F), 0);
	assert_int_equal(field(IB_PORT_MKEY_PROT_BITS_F), 2);
	mad_set_field64(packet.mad, 0, IB_MAD_MKEY_F, KEY);
	ask_status(fabric, endpoint, &packet, 0, &answer);
	assert_int_equal(field64(IB_PORT_MKEY_F), KEY);
}

/* The key of a switch protects all of it, by whatever port it is asked. */
static void key_of_a_switch(void **state)
{
	static const struct route other_way = { 2, { 1, 3 } };

	protect(&right, KEY, 2, 0);
	assert_false(answered(GET, IB_ATTR_NODE_INFO, &other_way, 0));
	assert_true(answered(GET, IB_ATTR_NODE_INFO, &other_way, KEY));
	mkey = 0;
	get(&left, IB_ATTR_PORT_INFO, 0, 0);
	mkey = KEY;
	get(&right, IB_ATTR_PORT_INFO, 3, 0);
	assert_int_equal(field64(IB_PORT_MKEY_F), 0);
}

static void changing_the_key(void **state)
{
	protect(&left, KEY, 3, 0);
	protect(&left, WRONG_KEY, 3, 0);
	assert_false(answered(GET, IB_ATTR_NODE_INFO, &left, KEY));
	assert_true(answered(GET, IB_ATTR_NODE_INFO, &left, WRONG_KEY));
	protect(&left, 0, 3, 0);
	assert_true(answered(GET, IB_ATTR_NODE_INFO, &left, KEY));
}

static void counting(void **state)
{
	struct fabric_packet wrong = packet_of(SET, IB_ATTR_PORT_INFO, &left, WRONG_KEY);

	protect(&left, KEY, 0, 0);
	for (unsigned int i = 0; i < 0x10001; i++)
		assert_false(answered_at(&wrong, 10));
	assert_int_equal(violations(&left), 0xffff);
	/* Set to 0, it is reset; any other number changes nothing. */
	set_field(&left, IB_ATTR_PORT_INFO, 0, IB_PORT_MKEY_VIOL_F, 7, 0);
	assert_int_equal(violations(&left), 0xffff);
	set_field(&left, IB_ATTR_PORT_INFO, 0, IB_PORT_MKEY_VIOL_F, 0, 0);
	assert_int_equal(violations(&left), 0);
}

/* Versions and methods that are none are refused as such, and are no violation. */
static void what_needs_no_key(void **state)
{
	struct fabric_packet packet = packet_of(GET, IB_ATTR_NODE_INFO, &left, 0);

	protect(&left, KEY, 3, 0);
	mad_set_field(packet.mad, 0, IB_MAD_BASEVER_F, 9);
	ask_status(fabric, endpoint, &packet, BAD_VERSION, &answer);
	packet = packet_of(0x03, IB_ATTR_NODE_INFO, &left, 0);
	ask_status(fabric, endpoint, &packet, BAD_METHOD, &answer);
	assert_int_equal(violations(&left), 0);
}

/* The protection bits are gone when the lease has passed since the first violation. */
static void lease_runs_out(void **state)
{
	struct fabric_packet wrong = packet_of(GET, IB_ATTR_PORT_INFO, &left, WRONG_KEY);

	protect(&left, KEY, 2, 3);
	assert_false(answered_at(&wrong, 10));
	assert_false(answered_at(&wrong, 10 + 2 * SECOND));
	assert_false(answered_at(&wrong, 10 + 3 * SECOND - 1));
	assert_true(answered_at(&wrong, 10 + 3 * SECOND));
	assert_int_equal(field(IB_PORT_MKEY_PROT_BITS_F), 0);
	assert_int_equal(field64(IB_PORT_MKEY_F), KEY);
	/* The key itself goes on to protect. */
	wrong = packet_of(SET, IB_ATTR_PORT_INFO, &left, WRONG_KEY);
	assert_false(answered_at(&wrong, 11 + 3 * SECOND));
}

/* The right key stops the lease, by whatever SMP; the next violation starts it anew. */
static void lease_is_renewed(void **state)
{
	struct fabric_packet wrong = packet_of(GET, IB_ATTR_PORT_INFO, &left, WRONG_KEY);
	struct fabric_packet good = packet_of(GET, IB_ATTR_NODE_INFO, &left, KEY);

	protect(&left, KEY, 3, 3);
	assert_false(answered_at(&wrong, 10));
	assert_true(answered_at(&good, 10 + 2 * SECOND));
	assert_false(answered_at(&wrong, 10 + 4 * SECOND));
	assert_false(answered_at(&wrong, 10 + 6 * SECOND));
	assert_true(answered_at(&wrong, 10 + 7 * SECOND));
}

static void lease_without_end(void **state)
{
	struct fabric_packet wrong = packet_of(GET, IB_ATTR_PORT_INFO, &left, WRONG_KEY);

	protect(&left, KEY, 2, 0);
	assert_false(answered_at(&wrong, 10));
	assert_false(answered_at(&wrong, 10 + 1000000 * SECOND));
}

/* A node forgets its key when it is off. */
static void key_of_a_node_that_was_off(void **state)
{
	const struct topology_node *node = topology_find(fabric_topology(fabric), "host");

	protect(&host, KEY, 3, 1);
	assert_false(answered(GET, IB_ATTR_NODE_INFO, &host, 0));
	fabric_set_health(fabric, node, FABRIC_OFF);
	fabric_set_health(fabric, node, FABRIC_WELL);
	mkey = 0;
	assert_field(&host, IB_ATTR_PORT_INFO, 0, IB_PORT_MKEY_F, 0);
	assert_int_equal(field(IB_PORT_MKEY_PROT_BITS_F), 0);
	assert_int_equal(field(IB_PORT_MKEY_VIOL_F), 0);
}

/* A key that the fabric's user sets is that of all ports of the node, and of no other node. */
static void key_of_the_user(void **state)
{
	const struct topology *topology = fabric_topology(fabric);

	fabric_set_mkey(fabric, topology_find(topology, "host"), KEY, 2);
	assert_false(answered(GET, IB_ATTR_NODE_INFO, &host, WRONG_KEY));
	assert_true(answered(GET, IB_ATTR_NODE_INFO, &host, KEY));
	assert_true(answered(GET, IB_ATTR_NODE_INFO, &left, WRONG_KEY));
	fabric_set_mkey(fabric, topology_find(topology, "host"), KEY, 1);
	assert_true(answered(GET, IB_ATTR_NODE_INFO, &host, WRONG_KEY));
	fabric_set_mkey(fabric, topology_find(topology, "left"), KEY, 2);
	assert_false(answered(GET, IB_ATTR_NODE_INFO, &left, WRONG_KEY));
	fabric_set_mkey(fabric, topology_find(topology, "left"), 0, 2);
	assert_true(answered(GET, IB_ATTR_NODE_INFO, &left, WRONG_KEY));
}

static const struct CMUnitTest tests[] = {
	SMA_TEST(without_a_key),     SMA_TEST(levels),
	SMA_TEST(reading_the_key),   SMA_TEST(keys_of_two_ports),
	SMA_TEST(key_of_a_switch),   SMA_TEST(changing_the_key),
	SMA_TEST(counting),	     SMA_TEST(what_needs_no_key),
	SMA_TEST(lease_runs_out),    SMA_TEST(lease_is_renewed),
	SMA_TEST(lease_without_end), SMA_TEST(key_of_a_node_that_was_off),
	SMA_TEST(key_of_the_user),
};

TEST_MAIN(tests, NULL, NULL)
