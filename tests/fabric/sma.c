/* SPDX-License-Identifier: BSD-2-Clause */
/* What the SMAs answer, decoded with libibmad. */
#include <string.h>

#include <infiniband/mad.h>

#include "support.h"

#define NOT_SUPPORTED	  0x0c
#define BAD_VALUE	  0x1c
#define BAD_METHOD	  0x08
#define BAD_VERSION	  0x04
#define UNKNOWN_ATTRIBUTE 0x0fff

static const uint8_t to_left[] = { 1 };
static const uint8_t to_right[] = { 1, 2 };
static const uint8_t to_host[] = { 1, 2, 4 };
static const uint8_t to_router[] = { 1, 2, 5 };

static struct fabric *fabric;
static int endpoint;
static struct fabric_packet answer;

static int set_up(void **state)
{
	(void)state;
	fabric = open_fabric(read_data("two-switches.net"), "dual", 1, &endpoint);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fabric_close(fabric);
	return 0;
}

static void get(uint16_t attribute, uint32_t modifier, unsigned int hops, const uint8_t *path,
		uint16_t status)
{
	struct fabric_packet packet = directed(attribute, modifier, hops, path);

	ask_status(fabric, endpoint, &packet, status, &answer);
}

static uint32_t field(enum MAD_FIELDS which)
{
	return mad_get_field(data_of(&answer), 0, which);
}

static uint64_t field64(enum MAD_FIELDS which)
{
	return mad_get_field64(data_of(&answer), 0, which);
}

static void header_of_an_answer(void **state)
{
	static const uint8_t returns[] = { 0, 1, 2, 1 };

	(void)state;
	get(IB_ATTR_NODE_INFO, 0, 3, to_host, 0);
	assert_int_equal(answer.mad[3], 0x81);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_MAD_MGMTCLASS_F), IB_SMI_DIRECT_CLASS);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_DRSMP_DIRECTION_F), 1);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_DRSMP_HOPCNT_F), 3);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_DRSMP_HOPPTR_F), 0);
	assert_int_equal(mad_get_field64(answer.mad, 0, IB_MAD_TRID_F), 0x1122334455667788);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_MAD_ATTRID_F), IB_ATTR_NODE_INFO);
	assert_memory_equal(answer.mad + 129, to_host, sizeof(to_host));
	assert_memory_equal(answer.mad + 192, returns, sizeof(returns));
	assert_int_equal(answer.slid, 0xffff);
	assert_int_equal(answer.dlid, 0xffff);
}

static void node_info(void **state)
{
	(void)state;
	get(IB_ATTR_NODE_INFO, 0, 0, NULL, 0);
	assert_int_equal(field(IB_NODE_TYPE_F), NODE_CA);
	assert_int_equal(field(IB_NODE_NPORTS_F), 2);
	assert_int_equal(field(IB_NODE_LOCAL_PORT_F), 1);
	assert_int_equal(field(IB_NODE_PARTITION_CAP_F), 64);
	assert_int_equal(field(IB_NODE_BASE_VERS_F), 1);
	assert_int_equal(field(IB_NODE_CLASS_VERS_F), 1);
	assert_int_equal(field64(IB_NODE_GUID_F), 0x100000);
	assert_int_equal(field64(IB_NODE_PORT_GUID_F), 0x100001);

	get(IB_ATTR_NODE_INFO, 0, 2, to_right, 0);
	assert_int_equal(field(IB_NODE_TYPE_F), NODE_SWITCH);
	assert_int_equal(field(IB_NODE_NPORTS_F), 8);
	assert_int_equal(field(IB_NODE_LOCAL_PORT_F), 2);
	assert_int_equal(field(IB_NODE_VENDORID_F), 0x2c9);
	assert_int_equal(field(IB_NODE_DEVID_F), 0xb924);
	assert_int_equal(field64(IB_NODE_SYSTEM_GUID_F), 0x1234);
	assert_int_equal(field64(IB_NODE_GUID_F), 0xabc0);
	assert_int_equal(field64(IB_NODE_PORT_GUID_F), 0xabc0);

	get(IB_ATTR_NODE_INFO, 0, 3, to_router, 0);
	assert_int_equal(field(IB_NODE_TYPE_F), NODE_ROUTER);
}

static void node_description(void **state)
{
	char zeros[64] = "the left one";

	(void)state;
	get(IB_ATTR_NODE_DESC, 0, 1, to_left, 0);
	assert_memory_equal(data_of(&answer), zeros, sizeof(zeros));
	get(IB_ATTR_NODE_DESC, 0, 3, to_host, 0);
	assert_string_equal((char *)data_of(&answer), "host HCA-1");
}

static void port_info_of_links(void **state)
{
	(void)state;
	get(IB_ATTR_PORT_INFO, 2, 1, to_left, 0);
	assert_int_equal(field(IB_PORT_LOCAL_PORT_F), 1);
	assert_int_equal(field(IB_PORT_STATE_F), 2);
	assert_int_equal(field(IB_PORT_PHYS_STATE_F), 5);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 2);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ACTIVE_F), 2);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ENABLED_F), 3);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 0);
	assert_int_equal(field(IB_PORT_CAPMASK_F), 0);

	get(IB_ATTR_PORT_INFO, 4, 1, to_left, 0);
	assert_int_equal(field(IB_PORT_STATE_F), 1);
	assert_int_equal(field(IB_PORT_PHYS_STATE_F), 2);

	get(IB_ATTR_PORT_INFO, 0, 1, to_left, 0);
	assert_int_equal(field(IB_PORT_STATE_F), 4);
	assert_int_equal(field(IB_PORT_GUID_CAP_F), 1);
	assert_int_equal(field64(IB_PORT_GID_PREFIX_F), 0xfe80000000000000);
	assert_int_not_equal(field(IB_PORT_CAPMASK_F), 0);
}

static void port_info_of_hosts(void **state)
{
	(void)state;
	/* Port 0 is the one that is asked; the other one can be asked for too. */
	get(IB_ATTR_PORT_INFO, 0, 0, NULL, 0);
	assert_int_equal(field(IB_PORT_LOCAL_PORT_F), 1);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 2);
	assert_int_equal(field(IB_PORT_LID_F), 0);
	assert_int_equal(field(IB_PORT_GUID_CAP_F), 32);
	get(IB_ATTR_PORT_INFO, 2, 0, NULL, 0);
	assert_int_equal(field(IB_PORT_LOCAL_PORT_F), 1);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 1);
	/* A manager that knows extended speeds says so in the modifier. */
	get(IB_ATTR_PORT_INFO, 0x80000002, 0, NULL, 0);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 1);
	get(IB_ATTR_PORT_INFO, 3, 0, NULL, BAD_VALUE);
	get(IB_ATTR_PORT_INFO, 0x100, 0, NULL, BAD_VALUE);
	get(IB_ATTR_PORT_INFO, 9, 1, to_left, BAD_VALUE);
}

static void saved_lids_and_speeds(void **state)
{
	int saved_endpoint;
	struct fabric *saved =
		open_fabric(read_data("saved.topology"), "node001 HCA-1", 1, &saved_endpoint);
	struct fabric_packet packet = directed(IB_ATTR_PORT_INFO, 0, 0, NULL);
	struct fabric_port_state now;

	(void)state;
	ask_status(saved, saved_endpoint, &packet, 0, &answer);
	assert_int_equal(field(IB_PORT_LID_F), 4);
	assert_int_equal(field(IB_PORT_LMC_F), 2);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 4);
	fabric_port_state(saved, saved_endpoint, &now);
	assert_int_equal(now.lid, 4);
	assert_int_equal(now.lmc, 2);
	assert_int_equal(now.state, 2);
	assert_int_equal(now.phys_state, 5);
	assert_int_equal(now.width, 2);
	assert_int_equal(now.speed, 4);
	assert_int_equal(now.speed_ext, 4);
	assert_int_equal(now.guid, 0x2c90300001001);
	assert_int_equal(now.gid_prefix, 0xfe80000000000000);
	assert_int_equal(now.capability_mask, field(IB_PORT_CAPMASK_F));
	packet = directed(IB_ATTR_MLNX_EXT_PORT_INFO, 2, 1, to_left);
	ask_status(saved, saved_endpoint, &packet, 0, &answer);
	assert_int_equal(field(IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F), 1);
	packet = directed(IB_ATTR_MLNX_EXT_PORT_INFO, 1, 1, to_left);
	ask_status(saved, saved_endpoint, &packet, 0, &answer);
	assert_int_equal(field(IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F), 0);
	fabric_close(saved);
}

static void switch_info(void **state)
{
	struct fabric_packet set;

	(void)state;
	get(IB_ATTR_SWITCH_INFO, 0, 1, to_left, 0);
	assert_int_equal(field(IB_SW_LINEAR_FDB_CAP_F), 49152);
	assert_int_equal(field(IB_SW_LINEAR_FDB_TOP_F), 0);
	assert_int_equal(field(IB_SW_STATE_CHANGE_F), 1);
	assert_int_equal(field(IB_SW_ENHANCED_PORT0_F), 0);

	set = directed(IB_ATTR_SWITCH_INFO, 0, 1, to_left);
	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	mad_set_field(data_of(&set), 0, IB_SW_LINEAR_FDB_TOP_F, 77);
	mad_set_field(data_of(&set), 0, IB_SW_LIFE_TIME_F, 9);
	mad_set_field(data_of(&set), 0, IB_SW_STATE_CHANGE_F, 1);
	mad_set_field(data_of(&set), 0, IB_SW_LINEAR_FDB_CAP_F, 5);
	ask_status(fabric, endpoint, &set, 0, &answer);
	assert_int_equal(answer.mad[3], 0x81);
	get(IB_ATTR_SWITCH_INFO, 0, 1, to_left, 0);
	assert_int_equal(field(IB_SW_LINEAR_FDB_CAP_F), 49152);
	assert_int_equal(field(IB_SW_LINEAR_FDB_TOP_F), 77);
	assert_int_equal(field(IB_SW_LIFE_TIME_F), 9);
	assert_int_equal(field(IB_SW_STATE_CHANGE_F), 0);

	mad_set_field(data_of(&set), 0, IB_SW_LINEAR_FDB_TOP_F, 49152);
	ask_status(fabric, endpoint, &set, BAD_VALUE, &answer);
	get(IB_ATTR_SWITCH_INFO, 0, 3, to_host, NOT_SUPPORTED);
}

static void guid_info(void **state)
{
	(void)state;
	get(IB_ATTR_GUID_INFO, 0, 3, to_host, 0);
	assert_int_equal(field64(IB_GUID_GUID0_F), 0x100004);
	get(IB_ATTR_GUID_INFO, 3, 3, to_host, 0);
	assert_int_equal(field64(IB_GUID_GUID0_F), 0);
	get(IB_ATTR_GUID_INFO, 4, 3, to_host, BAD_VALUE);
	get(IB_ATTR_GUID_INFO, 0, 2, to_right, 0);
	assert_int_equal(field64(IB_GUID_GUID0_F), 0xabc0);
	get(IB_ATTR_GUID_INFO, 1, 2, to_right, BAD_VALUE);
}

static void pkey_table(void **state)
{
	static const uint8_t first[] = { 0xff, 0xff, 0, 0 };
	static const uint8_t none[64];

	(void)state;
	get(IB_ATTR_PKEY_TBL, 0, 3, to_host, 0);
	assert_memory_equal(data_of(&answer), first, sizeof(first));
	get(IB_ATTR_PKEY_TBL, 1, 3, to_host, 0);
	assert_memory_equal(data_of(&answer), none, sizeof(none));
	get(IB_ATTR_PKEY_TBL, 2, 3, to_host, BAD_VALUE);
	/* A switch's port 0 has one block, the others two. */
	get(IB_ATTR_PKEY_TBL, 1, 1, to_left, BAD_VALUE);
	get(IB_ATTR_PKEY_TBL, 8 << 16 | 1, 1, to_left, 0);
	get(IB_ATTR_PKEY_TBL, 8 << 16 | 2, 1, to_left, BAD_VALUE);
	get(IB_ATTR_PKEY_TBL, 9 << 16, 1, to_left, BAD_VALUE);
}

static void forwarding_table(void **state)
{
	struct fabric_packet set = directed(IB_ATTR_LINEARFORWTBL, 2, 1, to_left);
	uint8_t block[64], drop[64];
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(block); i++)
		block[i] = (uint8_t)(i % 9);
	memset(drop, 0xff, sizeof(drop));
	get(IB_ATTR_LINEARFORWTBL, 2, 1, to_left, 0);
	assert_memory_equal(data_of(&answer), drop, sizeof(drop));

	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	memcpy(data_of(&set), block, sizeof(block));
	ask_status(fabric, endpoint, &set, 0, &answer);
	assert_memory_equal(data_of(&answer), block, sizeof(block));
	get(IB_ATTR_LINEARFORWTBL, 2, 1, to_left, 0);
	assert_memory_equal(data_of(&answer), block, sizeof(block));
	get(IB_ATTR_LINEARFORWTBL, 1, 1, to_left, 0);
	assert_memory_equal(data_of(&answer), drop, sizeof(drop));
	get(IB_ATTR_LINEARFORWTBL, 2, 2, to_right, 0);
	assert_memory_equal(data_of(&answer), drop, sizeof(drop));

	get(IB_ATTR_LINEARFORWTBL, 767, 1, to_left, 0);
	get(IB_ATTR_LINEARFORWTBL, 768, 1, to_left, BAD_VALUE);
	get(IB_ATTR_LINEARFORWTBL, 0xffffffff, 1, to_left, BAD_VALUE);
	get(IB_ATTR_LINEARFORWTBL, 0, 3, to_host, NOT_SUPPORTED);
}

/* As managers do it: what is there now, with nothing ordered. */
static struct fabric_packet set_port(unsigned int port, unsigned int hops, const uint8_t *path)
{
	struct fabric_packet set = directed(IB_ATTR_PORT_INFO, port, hops, path);

	get(IB_ATTR_PORT_INFO, port, hops, path, 0);
	memcpy(data_of(&set), data_of(&answer), IB_SMP_DATA_SIZE);
	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	mad_set_field(data_of(&set), 0, IB_PORT_STATE_F, 0);
	mad_set_field(data_of(&set), 0, IB_PORT_PHYS_STATE_F, 0);
	mad_set_field(data_of(&set), 0, IB_PORT_LID_F, 1);
	mad_set_field(data_of(&set), 0, IB_PORT_SMLID_F, 1);
	return set;
}

static void set_lids(void **state)
{
	struct fabric_packet set = set_port(0, 0, NULL);
	struct fabric_port_state now;

	(void)state;
	mad_set_field(data_of(&set), 0, IB_PORT_LID_F, 16);
	mad_set_field(data_of(&set), 0, IB_PORT_LMC_F, 2);
	mad_set_field(data_of(&set), 0, IB_PORT_SMLID_F, 5);
	mad_set_field(data_of(&set), 0, IB_PORT_SMSL_F, 3);
	mad_set_field64(data_of(&set), 0, IB_PORT_GID_PREFIX_F, 0xfec0000000000000);
	ask_status(fabric, endpoint, &set, 0, &answer);
	get(IB_ATTR_PORT_INFO, 1, 0, NULL, 0);
	assert_int_equal(field(IB_PORT_LID_F), 16);
	assert_int_equal(field(IB_PORT_LMC_F), 2);
	assert_int_equal(field(IB_PORT_SMLID_F), 5);
	/* 0 keeps what a link runs with. */
	assert_int_equal(field(IB_PORT_NEIGHBOR_MTU_F), 4);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ENABLED_F), 2);
	fabric_port_state(fabric, endpoint, &now);
	assert_int_equal(now.lid, 16);
	assert_int_equal(now.lmc, 2);
	assert_int_equal(now.sm_lid, 5);
	assert_int_equal(now.sm_sl, 3);
	assert_int_equal(now.gid_prefix, 0xfec0000000000000);
	mad_set_field(data_of(&set), 0, IB_PORT_LINK_WIDTH_ENABLED_F, 255);
	mad_set_field(data_of(&set), 0, IB_PORT_LINK_SPEED_ENABLED_F, 5);
	ask_status(fabric, endpoint, &set, 0, &answer);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ENABLED_F), 31);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ENABLED_F), 5);
	/* A switch's other ports have no LID. */
	set = set_port(2, 1, to_left);
	mad_set_field(data_of(&set), 0, IB_PORT_LID_F, 17);
	ask_status(fabric, endpoint, &set, 0, &answer);
	assert_int_equal(field(IB_PORT_LID_F), 0);
}

static void set_state(unsigned int port, unsigned int value, uint16_t status, unsigned int becomes)
{
	struct fabric_packet set = set_port(port, 1, to_left);

	mad_set_field(data_of(&set), 0, IB_PORT_STATE_F, value);
	ask_status(fabric, endpoint, &set, status, &answer);
	get(IB_ATTR_PORT_INFO, port, 1, to_left, 0);
	assert_int_equal(field(IB_PORT_STATE_F), becomes);
}

static void port_states(void **state)
{
	struct fabric_packet set = directed(IB_ATTR_SWITCH_INFO, 0, 2, to_right);

	(void)state;
	set_state(2, 0, 0, 2);
	set_state(2, 2, BAD_VALUE, 2);
	set_state(2, 4, BAD_VALUE, 2);
	set_state(2, 3, 0, 3);
	set_state(2, 4, 0, 4);
	set_state(2, 4, 0, 4);
	set_state(2, 3, BAD_VALUE, 4);
	set_state(2, 15, BAD_VALUE, 4);
	/* Down, and up again: the switch at the other end notices. */
	mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
	mad_set_field(data_of(&set), 0, IB_SW_STATE_CHANGE_F, 1);
	ask_status(fabric, endpoint, &set, 0, &answer);
	set_state(2, 1, 0, 2);
	get(IB_ATTR_SWITCH_INFO, 0, 2, to_right, 0);
	assert_int_equal(field(IB_SW_STATE_CHANGE_F), 1);
	/* No cable, and the switch's own port. */
	set_state(4, 3, BAD_VALUE, 1);
	set_state(4, 1, 0, 1);
	set_state(0, 1, BAD_VALUE, 4);
}

static void port_values_that_cannot_be(void **state)
{
	static const struct {
		enum MAD_FIELDS field;
		uint32_t value;
	} bad[] = {
		{ IB_PORT_LID_F, 0xc000 },
		{ IB_PORT_OPER_VLS_F, 5 },
		{ IB_PORT_NEIGHBOR_MTU_F, 5 },
		{ IB_PORT_STATE_F, 2 },
	};
	struct fabric_packet set;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set = set_port(1, 0, NULL);
		mad_set_field(data_of(&set), 0, bad[i].field, bad[i].value);
		ask_status(fabric, endpoint, &set, BAD_VALUE, &answer);
	}
	/* A host's other port is not this one's to set. */
	set = set_port(2, 0, NULL);
	ask_status(fabric, endpoint, &set, BAD_VALUE, &answer);
	mad_set_field(set.mad, 0, IB_MAD_ATTRMOD_F, 3);
	ask_status(fabric, endpoint, &set, BAD_VALUE, &answer);
}

static void what_cannot_be_set(void **state)
{
	static const uint16_t attributes[] = { IB_ATTR_NODE_INFO, IB_ATTR_NODE_DESC,
					       UNKNOWN_ATTRIBUTE };
	struct fabric_packet set;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		set = directed(attributes[i], 0, 1, to_left);
		mad_set_field(set.mad, 0, IB_MAD_METHOD_F, SET);
		ask_status(fabric, endpoint, &set, NOT_SUPPORTED, &answer);
	}
}

static void what_is_not_supported(void **state)
{
	struct fabric_packet packet;

	(void)state;
	get(UNKNOWN_ATTRIBUTE, 0, 1, to_left, NOT_SUPPORTED);
	packet = directed(IB_ATTR_NODE_INFO, 0, 1, to_left);
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, 0x03);
	ask_status(fabric, endpoint, &packet, BAD_METHOD, &answer);
	packet = directed(IB_ATTR_NODE_INFO, 0, 1, to_left);
	mad_set_field(packet.mad, 0, IB_MAD_CLASSVER_F, 2);
	ask_status(fabric, endpoint, &packet, BAD_VERSION, &answer);
	packet = directed(IB_ATTR_NODE_INFO, 0, 1, to_left);
	mad_set_field(packet.mad, 0, IB_MAD_BASEVER_F, 0x80);
	ask_status(fabric, endpoint, &packet, BAD_VERSION, &answer);
}

static void other_classes_are_counted(void **state)
{
	struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, 1, to_left);

	(void)state;
	mad_set_field(packet.mad, 0, IB_MAD_MGMTCLASS_F, IB_PERFORMANCE_CLASS);
	assert_false(ask(fabric, endpoint, &packet, &answer));
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_INVALID], 1);
	assert_int_equal(fabric_stats(fabric)->sent, 1);
	assert_int_equal(fabric_stats(fabric)->answered, 0);
}

#define SMA_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SMA_TEST(header_of_an_answer),
		SMA_TEST(node_info),
		SMA_TEST(node_description),
		SMA_TEST(port_info_of_links),
		SMA_TEST(port_info_of_hosts),
		SMA_TEST(saved_lids_and_speeds),
		SMA_TEST(switch_info),
		SMA_TEST(guid_info),
		SMA_TEST(pkey_table),
		SMA_TEST(forwarding_table),
		SMA_TEST(set_lids),
		SMA_TEST(port_states),
		SMA_TEST(port_values_that_cannot_be),
		SMA_TEST(what_cannot_be_set),
		SMA_TEST(what_is_not_supported),
		SMA_TEST(other_classes_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
