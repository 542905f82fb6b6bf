/* SPDX-License-Identifier: BSD-2-Clause */
/* PortInfo's fields: their values, those that a Set changes, and those that it refuses. */
#include <string.h>

#include "sma_support.h"

static void of_links(void **state)
{
	get(&left, IB_ATTR_PORT_INFO, 2, 0);
	assert_int_equal(field(IB_PORT_LOCAL_PORT_F), 1);
	assert_int_equal(field(IB_PORT_STATE_F), PORT_INIT);
	assert_int_equal(field(IB_PORT_PHYS_STATE_F), PHYS_LINK_UP);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 2);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ACTIVE_F), 2);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ENABLED_F), 3);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 0);
	assert_int_equal(field(IB_PORT_CAPMASK_F), 0);

	get(&left, IB_ATTR_PORT_INFO, 4, 0);
	assert_int_equal(field(IB_PORT_STATE_F), PORT_DOWN);
	assert_int_equal(field(IB_PORT_PHYS_STATE_F), PHYS_POLLING);

	get(&left, IB_ATTR_PORT_INFO, 0, 0);
	assert_int_equal(field(IB_PORT_STATE_F), PORT_ACTIVE);
	assert_int_equal(field(IB_PORT_GUID_CAP_F), 1);
	assert_int_equal(field64(IB_PORT_GID_PREFIX_F), 0xfe80000000000000);
	assert_int_not_equal(field(IB_PORT_CAPMASK_F), 0);
	assert_int_equal(field(IB_PORT_DIAG_F), 0);
}

static void of_hosts(void **state)
{
	/* Port 0 is the one that is asked; the other one can be asked for too. */
	get(&here, IB_ATTR_PORT_INFO, 0, 0);
	assert_int_equal(field(IB_PORT_LOCAL_PORT_F), 1);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 2);
	assert_int_equal(field(IB_PORT_LID_F), 0);
	assert_int_equal(field(IB_PORT_GUID_CAP_F), 32);
	get(&here, IB_ATTR_PORT_INFO, 2, 0);
	assert_int_equal(field(IB_PORT_LOCAL_PORT_F), 1);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 1);
	/* A manager that knows extended speeds says so in the modifier. */
	get(&here, IB_ATTR_PORT_INFO, 0x80000002, 0);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ACTIVE_F), 1);
	get(&here, IB_ATTR_PORT_INFO, 3, BAD_VALUE);
	get(&here, IB_ATTR_PORT_INFO, 0x100, BAD_VALUE);
	get(&left, IB_ATTR_PORT_INFO, 9, BAD_VALUE);
}

static void open_saved(void)
{
	fabric_close(fabric);
	fabric = open_fabric(read_data("saved.topology"), "node001 HCA-1", 1, &endpoint);
}

static void saved_lids_and_speeds(void **state)
{
	struct fabric_port_state now;

	open_saved();
	get(&here, IB_ATTR_PORT_INFO, 0, 0);
	assert_int_equal(field(IB_PORT_LID_F), 4);
	assert_int_equal(field(IB_PORT_LMC_F), 2);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ACTIVE_F), 4);
	fabric_port_state(fabric, endpoint, &now);
	assert_int_equal(now.lid, 4);
	assert_int_equal(now.lmc, 2);
	assert_int_equal(now.state, PORT_INIT);
	assert_int_equal(now.phys_state, PHYS_LINK_UP);
	assert_int_equal(now.width, 2);
	assert_int_equal(now.speed, 4);
	assert_int_equal(now.speed_ext, 4);
	assert_int_equal(now.guid, 0x2c90300001001);
	assert_int_equal(now.gid_prefix, 0xfe80000000000000);
	assert_int_equal(now.capability_mask, field(IB_PORT_CAPMASK_F));
}

/* A switch that knows it shows Mellanox' own attribute. */
static void ext_port_info(void **state)
{
	open_saved();
	assert_field(&left, IB_ATTR_MLNX_EXT_PORT_INFO, 2, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, 1);
	assert_int_equal(field(IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F), 1);
	assert_int_equal(field(IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F), 1);
	assert_field(&left, IB_ATTR_MLNX_EXT_PORT_INFO, 1, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, 0);
	get(&left, IB_ATTR_MLNX_EXT_PORT_INFO, 37, BAD_VALUE);
	get(&left, IB_ATTR_MLNX_EXT_PORT_INFO, 0x80000001, BAD_VALUE);
}

/* A port of each extended speed can have that one enabled, or none. */
static void port_info_extended(void **state)
{
	static const uint8_t modes[] = { 0, 0, 0, 1, 0, 2, 0, 2, 0, 2, 0, 4,
					 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 0 };
	struct fabric_packet set;

	open_saved();
	get(&here, IB_ATTR_PORT_INFO, 0, 0);
	assert_true(field(IB_PORT_CAPMASK2_F) & 2);
	get(&left, IB_ATTR_PORT_INFO_EXT, 1, 0);
	assert_memory_equal(data_of(&answer), modes, sizeof(modes));
	get(&left, IB_ATTR_PORT_INFO_EXT, 2, 0);
	assert_int_equal(field(IB_PORT_EXT_FEC_MODE_ACTIVE_F), 0);
	get(&left, IB_ATTR_PORT_INFO_EXT, 37, BAD_VALUE);
	set = set_of(&left, IB_ATTR_PORT_INFO_EXT, 1);
	send_set(&set, 0);
	assert_memory_equal(data_of(&answer), modes, sizeof(modes));
	data_of(&set)[13] = 0;
	send_set(&set, 0);
	assert_memory_equal(data_of(&answer), modes, sizeof(modes));
	data_of(&set)[13] = 6;
	send_set(&set, BAD_VALUE);
	data_of(&set)[13] = 0;
	data_of(&set)[20] = 1;
	send_set(&set, BAD_VALUE);
}

/* The link trains as one of QDR after FDR10 is forbidden. */
static void fdr10_is_forbidden(void **state)
{
	struct fabric_packet set;

	open_saved();
	set = set_of(&left, IB_ATTR_MLNX_EXT_PORT_INFO, 2);
	change(&set, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, 0);
	send_set(&set, 0); /* without the bit that says that it is meant */
	assert_int_equal(field(IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F), 1);
	change(&set, IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F, 1);
	send_set(&set, 0);
	assert_int_equal(field(IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F), 0);
	assert_int_equal(field(IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F), 1);
	set_field(&left, IB_ATTR_PORT_INFO, 2, IB_PORT_STATE_F, PORT_DOWN, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ACTIVE_F), 4);
	assert_field(&left, IB_ATTR_MLNX_EXT_PORT_INFO, 2, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, 0);
	change(&set, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, 2);
	send_set(&set, BAD_VALUE);
	/* Allowed again, it needs QDR to be enabled besides. */
	change(&set, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, 1);
	send_set(&set, 0);
	set_field(&left, IB_ATTR_PORT_INFO, 2, IB_PORT_LINK_SPEED_ENABLED_F, 3, 0);
	set_field(&left, IB_ATTR_PORT_INFO, 2, IB_PORT_STATE_F, PORT_DOWN, 0);
	assert_field(&left, IB_ATTR_MLNX_EXT_PORT_INFO, 2, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, 0);
	set_field(&left, IB_ATTR_PORT_INFO, 2, IB_PORT_LINK_SPEED_ENABLED_F, 7, 0);
	set_field(&left, IB_ATTR_PORT_INFO, 2, IB_PORT_STATE_F, PORT_DOWN, 0);
	assert_field(&left, IB_ATTR_MLNX_EXT_PORT_INFO, 2, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, 1);
}

static void set_lids(void **state)
{
	struct fabric_packet set = set_of(&here, IB_ATTR_PORT_INFO, 0);
	struct fabric_port_state now;

	change(&set, IB_PORT_LID_F, 16);
	change(&set, IB_PORT_LMC_F, 2);
	change(&set, IB_PORT_SMLID_F, 5);
	change(&set, IB_PORT_SMSL_F, 3);
	change(&set, IB_PORT_GID_PREFIX_F, 0xfec0000000000000);
	send_set(&set, 0);
	get(&here, IB_ATTR_PORT_INFO, 1, 0);
	assert_int_equal(field(IB_PORT_LID_F), 16);
	assert_int_equal(field(IB_PORT_LMC_F), 2);
	assert_int_equal(field(IB_PORT_SMLID_F), 5);
	fabric_port_state(fabric, endpoint, &now);
	assert_int_equal(now.lid, 16);
	assert_int_equal(now.lmc, 2);
	assert_int_equal(now.sm_lid, 5);
	assert_int_equal(now.sm_sl, 3);
	assert_int_equal(now.gid_prefix, 0xfec0000000000000);
	/* A switch has a LID at port 0 alone, and an LMC only if that is an enhanced one. */
	set_field(&left, IB_ATTR_PORT_INFO, 2, IB_PORT_LID_F, 17, 0);
	assert_int_equal(field(IB_PORT_LID_F), 0);
	set_field(&left, IB_ATTR_PORT_INFO, 0, IB_PORT_LID_F, 17, 0);
	assert_int_equal(field(IB_PORT_LID_F), 17);
	set_field(&left, IB_ATTR_PORT_INFO, 0, IB_PORT_LMC_F, 1, 0);
	assert_int_equal(field(IB_PORT_LMC_F), 0);
	open_saved();
	set_field(&left, IB_ATTR_PORT_INFO, 0, IB_PORT_LMC_F, 1, 0);
	assert_int_equal(field(IB_PORT_LMC_F), 1);
}

/* A Set changes other fields at a host's port, at port 0 of a switch, and at its other ports. */
static void what_is_writable(void **state)
{
	static const struct {
		enum MAD_FIELDS field;
		uint32_t value;
		bool at[3];
	} fields[] = {
		{ IB_PORT_MKEY_LEASE_F, 77, { true, true, false } },
		{ IB_PORT_MKEY_PROT_BITS_F, 2, { true, true, false } },
		{ IB_PORT_SUBN_TIMEOUT_F, 19, { true, true, false } },
		{ IB_PORT_SMSL_F, 3, { true, true, false } },
		{ IB_PORT_VL_HIGH_LIMIT_F, 200, { true, false, true } },
		{ IB_PORT_NEIGHBOR_MTU_F, 3, { true, false, true } },
		{ IB_PORT_OPER_VLS_F, 2, { true, false, true } },
		{ IB_PORT_LINK_DOWN_DEF_F, 1, { true, false, true } },
		{ IB_PORT_LOCAL_PHYS_ERR_F, 9, { true, false, true } },
		{ IB_PORT_OVERRUN_ERR_F, 7, { true, false, true } },
		{ IB_PORT_HOQ_LIFE_F, 11, { true, false, true } },
		{ IB_PORT_VL_STALL_COUNT_F, 5, { false, false, true } },
		{ IB_PORT_PART_EN_INB_F, 1, { false, false, true } },
		{ IB_PORT_PART_EN_OUTB_F, 1, { false, false, true } },
		{ IB_PORT_FILTER_RAW_INB_F, 1, { false, false, true } },
		{ IB_PORT_FILTER_RAW_OUTB_F, 1, { false, false, true } },
		{ IB_PORT_LINK_WIDTH_ENABLED_F, 1, { true, false, true } },
		{ IB_PORT_LINK_SPEED_ENABLED_F, 1, { true, false, true } },
		{ IB_PORT_CAPMASK_F, 0x12345678, { false, false, false } },
		{ IB_PORT_DIAG_F, 5, { false, false, false } },
		{ IB_PORT_LOCAL_PORT_F, 9, { false, false, false } },
		{ IB_PORT_LINK_WIDTH_SUPPORTED_F, 3, { false, false, false } },
		{ IB_PORT_LINK_WIDTH_ACTIVE_F, 8, { false, false, false } },
		{ IB_PORT_LINK_SPEED_SUPPORTED_F, 1, { false, false, false } },
		{ IB_PORT_LINK_SPEED_ACTIVE_F, 8, { false, false, false } },
		{ IB_PORT_VL_CAP_F, 1, { false, false, false } },
		{ IB_PORT_MTU_CAP_F, 5, { false, false, false } },
		{ IB_PORT_GUID_CAP_F, 64, { false, false, false } },
		{ IB_PORT_VL_ARBITRATION_HIGH_CAP_F, 64, { false, false, false } },
		{ IB_PORT_VL_ARBITRATION_LOW_CAP_F, 64, { false, false, false } },
		{ IB_PORT_MKEY_VIOL_F, 3, { false, false, false } },
		{ IB_PORT_PKEY_VIOL_F, 3, { false, false, false } },
		{ IB_PORT_QKEY_VIOL_F, 3, { false, false, false } },
		{ IB_PORT_RESP_TIME_VAL_F, 3, { false, false, false } },
	};
	static const struct {
		const struct route *route;
		uint32_t port;
	} places[3] = { { &here, 1 }, { &left, 0 }, { &left, 2 } };
	struct fabric_packet set;
	uint32_t was;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		for (size_t j = 0; j < 3; j++) {
			set = set_of(places[j].route, IB_ATTR_PORT_INFO, places[j].port);
			was = field(fields[i].field);
			change(&set, fields[i].field, fields[i].value);
			send_set(&set, 0);
			assert_field(places[j].route, IB_ATTR_PORT_INFO, places[j].port,
				     fields[i].field, fields[i].at[j] ? fields[i].value : was);
		}
	}
}

/* The value 0 keeps the present mask; all ones stand for all that is supported. */
static void masks(void **state)
{
	struct fabric_packet set;

	set_field(&here, IB_ATTR_PORT_INFO, 0, IB_PORT_OPER_VLS_F, 0, 0);
	assert_int_equal(field(IB_PORT_OPER_VLS_F), 4);
	set_field(&here, IB_ATTR_PORT_INFO, 0, IB_PORT_LINK_WIDTH_ENABLED_F, 0, 0);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ENABLED_F), 2);
	set_field(&here, IB_ATTR_PORT_INFO, 0, IB_PORT_LINK_WIDTH_ENABLED_F, 255, 0);
	assert_int_equal(field(IB_PORT_LINK_WIDTH_ENABLED_F), 31);
	set_field(&here, IB_ATTR_PORT_INFO, 0, IB_PORT_LINK_SPEED_ENABLED_F, 5, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ENABLED_F), 5);
	set_field(&here, IB_ATTR_PORT_INFO, 0, IB_PORT_LINK_SPEED_ENABLED_F, 0, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ENABLED_F), 5);
	set_field(&here, IB_ATTR_PORT_INFO, 0, IB_PORT_LINK_SPEED_ENABLED_F, 15, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_ENABLED_F), 7);
	/* Extended speeds are for managers that say that they know of them. */
	open_saved();
	set = set_of(&here, IB_ATTR_PORT_INFO, 1);
	change(&set, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 2);
	send_set(&set, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ENABLED_F), 7);
	mad_set_field(set.mad, 0, IB_MAD_ATTRMOD_F, 0x80000001);
	send_set(&set, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ENABLED_F), 2);
	change(&set, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 0);
	send_set(&set, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ENABLED_F), 2);
	change(&set, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 30);
	send_set(&set, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ENABLED_F), 0);
	change(&set, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 31);
	send_set(&set, 0);
	assert_int_equal(field(IB_PORT_LINK_SPEED_EXT_ENABLED_F), 15);
}

static void values_that_cannot_be(void **state)
{
	static const struct {
		const struct route *route;
		uint32_t port;
		enum MAD_FIELDS field;
		uint32_t value;
	} bad[] = {
		{ &here, 1, IB_PORT_LID_F, 0 },
		{ &here, 1, IB_PORT_LID_F, 0xc000 },
		{ &here, 1, IB_PORT_LID_F, 0xffff },
		{ &here, 1, IB_PORT_SMLID_F, 0 },
		{ &here, 1, IB_PORT_SMLID_F, 0xc000 },
		{ &left, 0, IB_PORT_LID_F, 0 },
		{ &left, 0, IB_PORT_SMLID_F, 0xffff },
		{ &here, 1, IB_PORT_OPER_VLS_F, 5 },
		{ &here, 1, IB_PORT_NEIGHBOR_MTU_F, 0 },
		{ &here, 1, IB_PORT_NEIGHBOR_MTU_F, 5 },
		{ &left, 2, IB_PORT_NEIGHBOR_MTU_F, 15 },
		{ &here, 1, IB_PORT_STATE_F, 2 },
		{ &here, 1, IB_PORT_STATE_F, 5 },
		{ &here, 1, IB_PORT_PHYS_STATE_F, 4 },
		{ &here, 1, IB_PORT_PHYS_STATE_F, 5 },
		{ &here, 1, IB_PORT_PHYS_STATE_F, 15 },
		{ &here, 1, IB_PORT_LINK_DOWN_DEF_F, 3 },
		{ &here, 1, IB_PORT_LINK_WIDTH_ENABLED_F, 32 },
		{ &here, 1, IB_PORT_LINK_WIDTH_ENABLED_F, 254 },
		{ &here, 1, IB_PORT_LINK_SPEED_ENABLED_F, 8 },
		{ &here, 1, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 1 },
		{ &left, 0, IB_PORT_STATE_F, PORT_DOWN },
		{ &left, 0, IB_PORT_PHYS_STATE_F, PHYS_POLLING },
	};
	struct fabric_packet set;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set = set_of(bad[i].route, IB_ATTR_PORT_INFO, bad[i].port);
		change(&set, IB_PORT_VL_HIGH_LIMIT_F, 99);
		change(&set, bad[i].field, bad[i].value);
		send_set(&set, BAD_VALUE);
		/* The refused Set has not changed another field either. */
		assert_field(bad[i].route, IB_ATTR_PORT_INFO, bad[i].port, IB_PORT_VL_HIGH_LIMIT_F,
			     0);
	}
	/* Every LID that the LMC covers must be a unicast one. */
	set = set_of(&here, IB_ATTR_PORT_INFO, 1);
	change(&set, IB_PORT_LID_F, 0xbffe);
	change(&set, IB_PORT_LMC_F, 2);
	send_set(&set, BAD_VALUE);
	change(&set, IB_PORT_LMC_F, 1);
	send_set(&set, 0);
	/* A host's other port is not this one's to set. */
	set = set_of(&here, IB_ATTR_PORT_INFO, 2);
	send_set(&set, BAD_VALUE);
	mad_set_field(set.mad, 0, IB_MAD_ATTRMOD_F, 3);
	send_set(&set, BAD_VALUE);
}

static const struct CMUnitTest tests[] = {
	SMA_TEST(of_links),
	SMA_TEST(of_hosts),
	SMA_TEST(saved_lids_and_speeds),
	SMA_TEST(ext_port_info),
	SMA_TEST(port_info_extended),
	SMA_TEST(fdr10_is_forbidden),
	SMA_TEST(set_lids),
	SMA_TEST(what_is_writable),
	SMA_TEST(masks),
	SMA_TEST(values_that_cannot_be),
};

TEST_MAIN(tests, NULL, NULL)
