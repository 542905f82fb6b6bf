/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of ports and switches: their first content, their lengths, and their Sets. */
#include <string.h>

#include "sma_support.h"

#define BLOCK	    64
#define SL_TO_VL    8
#define ARBITRATION 16
#define ALL_OUT	    0x10000
#define ALL_IN	    0x20000

static uint8_t pattern[BLOCK];

static void make_pattern(unsigned int seed)
{
	for (unsigned int i = 0; i < sizeof(pattern); i++)
		pattern[i] = (uint8_t)(seed + i * 7);
}

/* Sets all 64 bytes to a pattern of their own; so many of them are to be kept. */
static void set_and_get(const struct route *route, uint16_t attribute, uint32_t modifier,
			size_t kept)
{
	struct fabric_packet set = set_of(route, attribute, modifier);

	make_pattern(modifier + attribute + route->hops);
	memcpy(data_of(&set), pattern, sizeof(pattern));
	memset(pattern + kept, 0, sizeof(pattern) - kept);
	send_set(&set, 0);
	assert_memory_equal(data_of(&answer), pattern, sizeof(pattern));
	get(route, attribute, modifier, 0);
	assert_memory_equal(data_of(&answer), pattern, sizeof(pattern));
}

/* Checks a block that nobody has set yet: it is filled with one byte. */
static void assert_filled(const struct route *route, uint16_t attribute, uint32_t modifier,
			  uint8_t filler)
{
	uint8_t data[BLOCK];

	memset(data, filler, sizeof(data));
	get(route, attribute, modifier, 0);
	assert_memory_equal(data_of(&answer), data, sizeof(data));
}

static void bad_modifiers(const struct route *route, uint16_t attribute, const uint32_t *modifiers,
			  size_t count)
{
	struct fabric_packet set;

	for (size_t i = 0; i < count; i++) {
		get(route, attribute, modifiers[i], BAD_VALUE);
		set = directed(attribute, modifiers[i], route->hops, route->path);
		mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
		send_set(&set, BAD_VALUE);
	}
}

static void guid_info(void **state)
{
	static const uint32_t bad_of_host[] = { 4, 0x100, 0xffffffff, 0x20000000 };
	static const uint32_t bad_of_switch[] = { 1, 0xffffffff };
	struct fabric_packet set;

	get(&host, IB_ATTR_GUID_INFO, 0, 0);
	assert_int_equal(field64(IB_GUID_GUID0_F), 0x100004);
	assert_filled(&host, IB_ATTR_GUID_INFO, 3, 0);
	set_and_get(&host, IB_ATTR_GUID_INFO, 3, BLOCK);
	assert_filled(&host, IB_ATTR_GUID_INFO, 2, 0);
	/* The first one is the port's own. */
	set = set_of(&host, IB_ATTR_GUID_INFO, 0);
	memset(data_of(&set), 0x77, BLOCK);
	send_set(&set, 0);
	get(&host, IB_ATTR_GUID_INFO, 0, 0);
	assert_int_equal(field64(IB_GUID_GUID0_F), 0x100004);
	assert_memory_equal(data_of(&answer) + 8, data_of(&set) + 8, BLOCK - 8);
	/* A switch has no other. */
	set = set_of(&right, IB_ATTR_GUID_INFO, 0);
	memset(data_of(&set), 0x77, BLOCK);
	send_set(&set, 0);
	get(&right, IB_ATTR_GUID_INFO, 0, 0);
	assert_int_equal(field64(IB_GUID_GUID0_F), 0xabc0);
	assert_int_equal(data_of(&answer)[8], 0);
	bad_modifiers(&host, IB_ATTR_GUID_INFO, bad_of_host, 4);
	bad_modifiers(&right, IB_ATTR_GUID_INFO, bad_of_switch, 2);
}

static void pkey_table(void **state)
{
	static const uint32_t bad_of_switch[] = { 1, 8 << 16 | 2, 9 << 16, 0xffff0000, 0xffff };
	static const uint32_t bad_of_host[] = { 2, 0xffff };
	static const uint8_t first[] = { 0xff, 0xff, 0, 0 };

	get(&host, IB_ATTR_PKEY_TBL, 0, 0);
	assert_memory_equal(data_of(&answer), first, sizeof(first));
	assert_filled(&host, IB_ATTR_PKEY_TBL, 1, 0);
	set_and_get(&host, IB_ATTR_PKEY_TBL, 0, BLOCK);
	assert_filled(&host, IB_ATTR_PKEY_TBL, 1, 0);
	set_and_get(&host, IB_ATTR_PKEY_TBL, 1, BLOCK);
	/* A switch's port 0 has 8 entries, the others 64. */
	set_and_get(&left, IB_ATTR_PKEY_TBL, 0, 16);
	set_and_get(&left, IB_ATTR_PKEY_TBL, 8 << 16 | 1, BLOCK);
	get(&left, IB_ATTR_PKEY_TBL, 8 << 16, 0);
	assert_memory_equal(data_of(&answer), first, sizeof(first));
	get(&left, IB_ATTR_PKEY_TBL, 7 << 16, 0);
	assert_memory_equal(data_of(&answer), first, sizeof(first));
	bad_modifiers(&left, IB_ATTR_PKEY_TBL, bad_of_switch, 5);
	bad_modifiers(&host, IB_ATTR_PKEY_TBL, bad_of_host, 2);
}

static void sl_to_vl(void **state)
{
	static const uint32_t bad[] = { 9,	9 << 8,		  0xff,	   0xff00,   ALL_OUT,
					ALL_IN, ALL_OUT | ALL_IN, 1 << 18, 1u << 31, 0xffffffff };
	static const uint8_t first[BLOCK] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xe7 };

	get(&left, IB_ATTR_SLVL_TABLE, 0x0102, 0);
	assert_memory_equal(data_of(&answer), first, sizeof(first));
	set_and_get(&left, IB_ATTR_SLVL_TABLE, 0x0102, SL_TO_VL);
	set_and_get(&left, IB_ATTR_SLVL_TABLE, 0x0808, SL_TO_VL);
	set_and_get(&left, IB_ATTR_SLVL_TABLE, 0x0001, SL_TO_VL);
	get(&left, IB_ATTR_SLVL_TABLE, 0x0201, 0);
	assert_memory_equal(data_of(&answer), first, sizeof(first));
	get(&left, IB_ATTR_SLVL_TABLE, 0x0202, 0);
	assert_memory_equal(data_of(&answer), first, sizeof(first));
	bad_modifiers(&left, IB_ATTR_SLVL_TABLE, bad, sizeof(bad) / sizeof(bad[0]));
	/* A host has one table, whatever the modifier. */
	set_and_get(&host, IB_ATTR_SLVL_TABLE, 0, SL_TO_VL);
	memcpy(pattern, data_of(&answer), sizeof(pattern));
	get(&host, IB_ATTR_SLVL_TABLE, 0x5678, 0);
	assert_memory_equal(data_of(&answer), pattern, sizeof(pattern));
}

/* A newer switch maps many ports at once, and says so. */
static void sl_to_vl_of_many_ports(void **state)
{
	static const struct route spine = { 2, { 1, 36 } };
	struct fabric_packet set;
	uint8_t other[SL_TO_VL];

	fabric_close(fabric);
	fabric = open_fabric(read_data("saved.topology"), "node001 HCA-1", 1, &endpoint);
	get(&spine, IB_ATTR_SWITCH_INFO, 0, 0);
	assert_int_equal(field(IB_SW_OPT_SLTOVL_MAPPING_F), 1);
	set = set_of(&spine, IB_ATTR_SLVL_TABLE, ALL_IN | ALL_OUT);
	memset(data_of(&set), 0x11, SL_TO_VL);
	send_set(&set, 0);
	for (unsigned int in = 0; in <= 36; in++) {
		get(&spine, IB_ATTR_SLVL_TABLE, in << 8 | (36 - in), 0);
		assert_memory_equal(data_of(&answer), data_of(&set), SL_TO_VL);
	}
	set = set_of(&spine, IB_ATTR_SLVL_TABLE, ALL_IN | 7);
	memset(data_of(&set), 0x22, SL_TO_VL);
	send_set(&set, 0);
	memset(other, 0x11, sizeof(other));
	for (unsigned int in = 0; in <= 36; in++) {
		get(&spine, IB_ATTR_SLVL_TABLE, in << 8 | 7, 0);
		assert_memory_equal(data_of(&answer), data_of(&set), SL_TO_VL);
		get(&spine, IB_ATTR_SLVL_TABLE, in << 8 | 8, 0);
		assert_memory_equal(data_of(&answer), other, SL_TO_VL);
	}
}

static void vl_arbitration(void **state)
{
	static const uint32_t bad[] = { 0, 2 << 16, 4 << 16, 5 << 16, 1 << 16 | 9, 0xffffffff };
	static const uint8_t low[BLOCK] = { 0, 0, 1, 4, 2, 4, 3, 4, 4, 4, 5, 4, 6, 4, 7, 4 };
	static const uint8_t high[BLOCK] = { 0, 4, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0 };

	get(&left, IB_ATTR_VL_ARBITRATION, 1 << 16 | 2, 0);
	assert_memory_equal(data_of(&answer), low, sizeof(low));
	get(&left, IB_ATTR_VL_ARBITRATION, 3 << 16 | 2, 0);
	assert_memory_equal(data_of(&answer), high, sizeof(high));
	set_and_get(&left, IB_ATTR_VL_ARBITRATION, 1 << 16 | 2, ARBITRATION);
	get(&left, IB_ATTR_VL_ARBITRATION, 3 << 16 | 2, 0);
	assert_memory_equal(data_of(&answer), high, sizeof(high));
	set_and_get(&left, IB_ATTR_VL_ARBITRATION, 3 << 16 | 2, ARBITRATION);
	set_and_get(&left, IB_ATTR_VL_ARBITRATION, 3 << 16, ARBITRATION);
	get(&left, IB_ATTR_VL_ARBITRATION, 1 << 16 | 3, 0);
	assert_memory_equal(data_of(&answer), low, sizeof(low));
	bad_modifiers(&left, IB_ATTR_VL_ARBITRATION, bad, sizeof(bad) / sizeof(bad[0]));
	set_and_get(&host, IB_ATTR_VL_ARBITRATION, 1 << 16 | 1, ARBITRATION);
}

static void linear_forwarding_table(void **state)
{
	static const uint32_t bad[] = { 768, 0x04000000, 0xffffffff };

	assert_filled(&left, IB_ATTR_LINEARFORWTBL, 2, 0xff);
	set_and_get(&left, IB_ATTR_LINEARFORWTBL, 2, BLOCK);
	assert_filled(&left, IB_ATTR_LINEARFORWTBL, 1, 0xff);
	assert_filled(&left, IB_ATTR_LINEARFORWTBL, 3, 0xff);
	assert_filled(&right, IB_ATTR_LINEARFORWTBL, 2, 0xff);
	set_and_get(&left, IB_ATTR_LINEARFORWTBL, 767, BLOCK);
	assert_filled(&left, IB_ATTR_LINEARFORWTBL, 766, 0xff);
	bad_modifiers(&left, IB_ATTR_LINEARFORWTBL, bad, 3);
	get(&host, IB_ATTR_LINEARFORWTBL, 0, NOT_SUPPORTED);
}

static void multicast_forwarding_table(void **state)
{
	static const uint32_t bad[] = { 32, 1u << 28, 0xf0000000, 0x00000200, 0xffffffff };
	static const struct route spine = { 2, { 1, 36 } };

	assert_filled(&left, IB_ATTR_MULTICASTFORWTBL, 3, 0);
	set_and_get(&left, IB_ATTR_MULTICASTFORWTBL, 3, BLOCK);
	assert_filled(&left, IB_ATTR_MULTICASTFORWTBL, 2, 0);
	set_and_get(&left, IB_ATTR_MULTICASTFORWTBL, 31, BLOCK);
	bad_modifiers(&left, IB_ATTR_MULTICASTFORWTBL, bad, sizeof(bad) / sizeof(bad[0]));
	get(&host, IB_ATTR_MULTICASTFORWTBL, 0, NOT_SUPPORTED);
	/* Ports 0 to 36 need three positions. */
	fabric_close(fabric);
	fabric = open_fabric(read_data("saved.topology"), "node001 HCA-1", 1, &endpoint);
	set_and_get(&spine, IB_ATTR_MULTICASTFORWTBL, 2u << 28 | 5, BLOCK);
	set_and_get(&spine, IB_ATTR_MULTICASTFORWTBL, 5, BLOCK);
	assert_filled(&spine, IB_ATTR_MULTICASTFORWTBL, 1u << 28 | 5, 0);
	get(&spine, IB_ATTR_MULTICASTFORWTBL, 3u << 28 | 5, BAD_VALUE);
}

/* A table loses its content with the power. */
static void tables_of_a_node_that_was_off(void **state)
{
	static const uint8_t first[] = { 0xff, 0xff, 0, 0 };
	const struct topology_node *node = topology_find(fabric_topology(fabric), "right");

	set_and_get(&right, IB_ATTR_PKEY_TBL, 1 << 16, BLOCK);
	set_and_get(&right, IB_ATTR_LINEARFORWTBL, 0, BLOCK);
	set_and_get(&right, IB_ATTR_MULTICASTFORWTBL, 0, BLOCK);
	set_field(&right, IB_ATTR_SWITCH_INFO, 0, IB_SW_LINEAR_FDB_TOP_F, 5, 0);
	fabric_set_health(fabric, node, FABRIC_OFF);
	fabric_set_health(fabric, node, FABRIC_WELL);
	get(&right, IB_ATTR_PKEY_TBL, 1 << 16, 0);
	assert_memory_equal(data_of(&answer), first, sizeof(first));
	assert_filled(&right, IB_ATTR_LINEARFORWTBL, 0, 0xff);
	assert_filled(&right, IB_ATTR_MULTICASTFORWTBL, 0, 0);
	assert_field(&right, IB_ATTR_SWITCH_INFO, 0, IB_SW_LINEAR_FDB_TOP_F, 0);
}

static const struct CMUnitTest tests[] = {
	SMA_TEST(guid_info),
	SMA_TEST(pkey_table),
	SMA_TEST(sl_to_vl),
	SMA_TEST(sl_to_vl_of_many_ports),
	SMA_TEST(vl_arbitration),
	SMA_TEST(linear_forwarding_table),
	SMA_TEST(multicast_forwarding_table),
	SMA_TEST(tables_of_a_node_that_was_off),
};

TEST_MAIN(tests, NULL, NULL)
