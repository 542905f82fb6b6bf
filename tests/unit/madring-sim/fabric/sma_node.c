/* SPDX-License-Identifier: BSD-2-Clause */
/* The SMAs' answers about their nodes, and the requests that they refuse. */
#include <string.h>

#include "sma_support.h"

#define RANDOM_FDB     0x1a
#define NOTICE_ATTR    0x02
#define VENDOR_DIAG    0x30
#define LED_INFO       0x31
#define UNKNOWN	       0x0fff
#define MULTICAST_LIDS 0xc000

static void header_of_an_answer(void **state)
{
	static const uint8_t returns[] = { 0, 1, 2, 1 };

	get(&host, IB_ATTR_NODE_INFO, 0, 0);
	assert_int_equal(answer.mad[3], 0x81);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_MAD_MGMTCLASS_F), IB_SMI_DIRECT_CLASS);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_DRSMP_DIRECTION_F), 1);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_DRSMP_HOPCNT_F), 3);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_DRSMP_HOPPTR_F), 0);
	assert_int_equal(mad_get_field64(answer.mad, 0, IB_MAD_TRID_F), 0x1122334455667788);
	assert_int_equal(mad_get_field(answer.mad, 0, IB_MAD_ATTRID_F), IB_ATTR_NODE_INFO);
	assert_memory_equal(answer.mad + 129, host.path, host.hops);
	assert_memory_equal(answer.mad + 192, returns, sizeof(returns));
	assert_int_equal(answer.slid, 0xffff);
	assert_int_equal(answer.dlid, 0xffff);
}

static void node_info(void **state)
{
	get(&here, IB_ATTR_NODE_INFO, 0, 0);
	assert_int_equal(field(IB_NODE_TYPE_F), NODE_CA);
	assert_int_equal(field(IB_NODE_NPORTS_F), 2);
	assert_int_equal(field(IB_NODE_LOCAL_PORT_F), 1);
	assert_int_equal(field(IB_NODE_PARTITION_CAP_F), 64);
	assert_int_equal(field(IB_NODE_BASE_VERS_F), 1);
	assert_int_equal(field(IB_NODE_CLASS_VERS_F), 1);
	assert_int_equal(field64(IB_NODE_GUID_F), 0x100000);
	assert_int_equal(field64(IB_NODE_PORT_GUID_F), 0x100001);

	get(&right, IB_ATTR_NODE_INFO, 0, 0);
	assert_int_equal(field(IB_NODE_TYPE_F), NODE_SWITCH);
	assert_int_equal(field(IB_NODE_NPORTS_F), 8);
	assert_int_equal(field(IB_NODE_LOCAL_PORT_F), 2);
	assert_int_equal(field(IB_NODE_VENDORID_F), 0x2c9);
	assert_int_equal(field(IB_NODE_DEVID_F), 0xb924);
	assert_int_equal(field64(IB_NODE_SYSTEM_GUID_F), 0x1234);
	assert_int_equal(field64(IB_NODE_GUID_F), 0xabc0);
	assert_int_equal(field64(IB_NODE_PORT_GUID_F), 0xabc0);

	get(&router, IB_ATTR_NODE_INFO, 0, 0);
	assert_int_equal(field(IB_NODE_TYPE_F), NODE_ROUTER);
}

static void node_description(void **state)
{
	char zeros[64] = "the left one";

	get(&left, IB_ATTR_NODE_DESC, 0, 0);
	assert_memory_equal(data_of(&answer), zeros, sizeof(zeros));
	get(&host, IB_ATTR_NODE_DESC, 0, 0);
	assert_string_equal((char *)data_of(&answer), "host HCA-1");
}

static void switch_info(void **state)
{
	get(&left, IB_ATTR_SWITCH_INFO, 0, 0);
	assert_int_equal(field(IB_SW_LINEAR_FDB_CAP_F), 49152);
	assert_int_equal(field(IB_SW_RANDOM_FDB_CAP_F), 0);
	assert_int_equal(field(IB_SW_MCAST_FDB_CAP_F), 1024);
	assert_int_equal(field(IB_SW_LINEAR_FDB_TOP_F), 0);
	assert_int_equal(field(IB_SW_STATE_CHANGE_F), 1);
	assert_int_equal(field(IB_SW_ENHANCED_PORT0_F), 0);
	assert_int_equal(field(IB_SW_OPT_SLTOVL_MAPPING_F), 0);
	get(&host, IB_ATTR_SWITCH_INFO, 0, NOT_SUPPORTED);
}

static void set_switch_info(void **state)
{
	static const struct {
		enum MAD_FIELDS field;
		uint32_t value;
	} writable[] = {
		{ IB_SW_LINEAR_FDB_TOP_F, 77 },	   { IB_SW_DEF_PORT_F, 3 },
		{ IB_SW_DEF_MCAST_PRIM_F, 8 },	   { IB_SW_DEF_MCAST_NOT_PRIM_F, 0xff },
		{ IB_SW_LIFE_TIME_F, 9 },	   { IB_SW_MCAST_FDB_TOP_F, 0xc010 },
		{ IB_SW_MCAST_FDB_TOP_F, 0xbfff },
	};
	static const enum MAD_FIELDS fixed[] = {
		IB_SW_LINEAR_FDB_CAP_F,	    IB_SW_RANDOM_FDB_CAP_F,	   IB_SW_MCAST_FDB_CAP_F,
		IB_SW_LIDS_PER_PORT_F,	    IB_SW_PARTITION_ENFORCE_CAP_F, IB_SW_ENHANCED_PORT0_F,
		IB_SW_OPT_SLTOVL_MAPPING_F,
	};
	uint32_t was;

	for (size_t i = 0; i < sizeof(writable) / sizeof(writable[0]); i++) {
		set_field(&left, IB_ATTR_SWITCH_INFO, 0, writable[i].field, writable[i].value, 0);
		assert_int_equal(field(writable[i].field), writable[i].value);
		assert_field(&left, IB_ATTR_SWITCH_INFO, 0, writable[i].field, writable[i].value);
	}
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		get(&left, IB_ATTR_SWITCH_INFO, 0, 0);
		was = field(fixed[i]);
		set_field(&left, IB_ATTR_SWITCH_INFO, 0, fixed[i], was ^ 1, 0);
		assert_int_equal(field(fixed[i]), was);
	}
}

/* The change is cleared when it is written as 1; as 0, it stays. */
static void port_state_change(void **state)
{
	set_field(&left, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 0, 0);
	assert_field(&left, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 1);
	set_field(&left, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 1, 0);
	assert_int_equal(answer.mad[3], 0x81);
	assert_field(&left, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 0);
	assert_field(&right, IB_ATTR_SWITCH_INFO, 0, IB_SW_STATE_CHANGE_F, 1);
}

static void switch_info_that_cannot_be(void **state)
{
	static const struct {
		enum MAD_FIELDS field;
		uint32_t value;
	} bad[] = {
		{ IB_SW_LINEAR_FDB_TOP_F, 49152 },
		{ IB_SW_DEF_PORT_F, 9 },
		{ IB_SW_DEF_MCAST_PRIM_F, 9 },
		{ IB_SW_DEF_MCAST_NOT_PRIM_F, 254 },
		{ IB_SW_MCAST_FDB_TOP_F, 1 },
		{ IB_SW_MCAST_FDB_TOP_F, MULTICAST_LIDS - 2 },
		{ IB_SW_MCAST_FDB_TOP_F, MULTICAST_LIDS + 1024 },
	};
	struct fabric_packet set;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set = set_of(&left, IB_ATTR_SWITCH_INFO, 0);
		change(&set, IB_SW_LIFE_TIME_F, 20);
		change(&set, bad[i].field, bad[i].value);
		send_set(&set, BAD_VALUE);
		/* The refused Set has not changed another field either. */
		assert_field(&left, IB_ATTR_SWITCH_INFO, 0, IB_SW_LIFE_TIME_F, 0);
	}
}

static void what_cannot_be_set(void **state)
{
	struct fabric_packet set;
	char description[64];

	set = set_of(&left, IB_ATTR_NODE_INFO, 0);
	send_set(&set, NOT_SUPPORTED);
	set = set_of(&left, IB_ATTR_NODE_DESC, 0);
	memcpy(description, data_of(&set), sizeof(description));
	memset(data_of(&set), 'x', sizeof(description));
	send_set(&set, NOT_SUPPORTED);
	get(&left, IB_ATTR_NODE_DESC, 0, 0);
	assert_memory_equal(data_of(&answer), description, sizeof(description));
}

/* The data comes back as it was sent. */
static void what_is_not_supported(void **state)
{
	static const uint16_t attributes[] = { RANDOM_FDB,
					       NOTICE_ATTR,
					       VENDOR_DIAG,
					       LED_INFO,
					       UNKNOWN,
					       IB_ATTR_SMINFO,
					       IB_ATTR_MLNX_EXT_PORT_INFO };
	static const uint8_t methods[] = { GET, SET };
	static const struct route *const nodes[] = { &left, &host, &router };
	struct fabric_packet packet;
	uint8_t data[64];

	memset(data, 0xa5, sizeof(data));
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		for (size_t j = 0; j < 2; j++) {
			for (size_t k = 0; k < 3; k++) {
				packet = directed(attributes[i], 1, nodes[k]->hops, nodes[k]->path);
				mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, methods[j]);
				memcpy(data_of(&packet), data, sizeof(data));
				ask_status(fabric, endpoint, &packet, NOT_SUPPORTED, &answer);
				assert_int_equal(answer.mad[3], 0x81);
				assert_memory_equal(data_of(&answer), data, sizeof(data));
			}
		}
	}
}

static void methods_and_versions(void **state)
{
	struct fabric_packet packet;

	packet = directed(IB_ATTR_NODE_INFO, 0, 1, left.path);
	mad_set_field(packet.mad, 0, IB_MAD_METHOD_F, 0x03);
	ask_status(fabric, endpoint, &packet, BAD_METHOD, &answer);
	packet = directed(IB_ATTR_NODE_INFO, 0, 1, left.path);
	mad_set_field(packet.mad, 0, IB_MAD_CLASSVER_F, 2);
	ask_status(fabric, endpoint, &packet, BAD_VERSION, &answer);
	packet = directed(IB_ATTR_NODE_INFO, 0, 1, left.path);
	mad_set_field(packet.mad, 0, IB_MAD_BASEVER_F, 0x80);
	ask_status(fabric, endpoint, &packet, BAD_VERSION, &answer);
}

/* SMInfo is for whoever is attached: a driver, or a manager behind it. */
static void sm_info_of_an_attached_port(void **state)
{
	struct fabric_packet packet = directed(IB_ATTR_SMINFO, 0, 0, NULL);

	assert_true(ask(fabric, endpoint, &packet, &answer));
	assert_int_equal(answer.mad[3], GET);
}

/* A switch does not claim to have a trap for it, but shows the bit, even after it was off. */
static void manager_at_a_switch(void **state)
{
	const struct topology_node *node = topology_find(fabric_topology(fabric), "right");
	int other = fabric_attach(fabric, fabric_topology(fabric)->nodes[node->index], 0);

	set_field(&right, IB_ATTR_PORT_INFO, 0, IB_PORT_LID_F, 5, 0);
	fabric_set_is_sm(fabric, other, true);
	assert_int_equal(fabric_stats(fabric)->traps, 0);
	get(&right, IB_ATTR_PORT_INFO, 0, 0);
	assert_int_equal(field(IB_PORT_CAPMASK_F) & 2, 2);
	fabric_set_health(fabric, node, FABRIC_OFF);
	fabric_set_health(fabric, node, FABRIC_WELL);
	get(&right, IB_ATTR_PORT_INFO, 0, 0);
	assert_int_equal(field(IB_PORT_LID_F), 0);
	assert_int_equal(field(IB_PORT_CAPMASK_F) & 2, 2);
	fabric_set_is_sm(fabric, other, false);
	get(&right, IB_ATTR_PORT_INFO, 0, 0);
	assert_int_equal(field(IB_PORT_CAPMASK_F) & 2, 0);
}

static void other_classes_are_counted(void **state)
{
	struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, 1, left.path);

	mad_set_field(packet.mad, 0, IB_MAD_MGMTCLASS_F, IB_PERFORMANCE_CLASS);
	assert_false(ask(fabric, endpoint, &packet, &answer));
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_INVALID], 1);
	assert_int_equal(fabric_stats(fabric)->sent, 1);
	assert_int_equal(fabric_stats(fabric)->answered, 0);
}

static const struct CMUnitTest tests[] = {
	SMA_TEST(header_of_an_answer),
	SMA_TEST(node_info),
	SMA_TEST(node_description),
	SMA_TEST(switch_info),
	SMA_TEST(set_switch_info),
	SMA_TEST(port_state_change),
	SMA_TEST(switch_info_that_cannot_be),
	SMA_TEST(what_cannot_be_set),
	SMA_TEST(what_is_not_supported),
	SMA_TEST(methods_and_versions),
	SMA_TEST(sm_info_of_an_attached_port),
	SMA_TEST(manager_at_a_switch),
	SMA_TEST(other_classes_are_counted),
};

TEST_MAIN(tests, NULL, NULL)
