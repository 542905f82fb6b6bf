/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of subnet management's attributes (IBA 14.2.5). */
#include "attributes/field_table.h"
#include "attributes/lists.h"

static const struct madring_field node_description[] = {
	FIELD(TEXT, "NodeString", 0, 512, IB_NODE_DESC_F),
};
static const struct madring_field node_info[] = { NODE_INFO(LISTED_FIELD) };
static const struct madring_field switch_info[] = { SWITCH_INFO(LISTED_FIELD) };
static const struct madring_field port_info[] = { PORT_INFO(LISTED_FIELD) };
static const struct madring_field notice[] = {
	NOTICE(LISTED_FIELD)
	/* The views of DataDetails for which libibmad has numbers. */
	FIELD(NUMBER, "NoticeDataLID", 80, 16, IB_NOTICE_DATA_LID_F),
	FIELD(NUMBER, "NoticeDataTrap144LID", 96, 16, IB_NOTICE_DATA_144_LID_F),
	FIELD(NUMBER, "NoticeDataTrap144CapMask", 128, 32, IB_NOTICE_DATA_144_CAPMASK_F),
};

static const struct madring_field guid_info[] = {
	FIELDS_8(GUID, "GUID", 0, 64, IB_GI_GUID0_F),
};

static const struct madring_field pkey_table[] = {
	FIELD(BYTES, "P_KeyTableBlock", 0, 512, 0),
};

static const struct madring_field sl_to_vl[] = {
	FIELD(NUMBER, "SLtoVLMappingTable", 0, 64, IB_SLTOVL_MAPPING_TABLE_F),
	SL_FIELDS(0),
};

static const struct madring_field vl_arbitration[] = {
	FIELD(BYTES, "VL/WeightBlock", 0, 512, IB_VL_ARBITRATION_TABLE_F),
};

static const struct madring_field linear_forwarding[] = {
	FIELD(BYTES, "PortBlock", 0, 512, IB_LINEAR_FORW_TBL_F),
};

static const struct madring_field multicast_forwarding[] = {
	FIELD(BYTES, "PortMaskBlock", 0, 512, IB_MULTICAST_FORW_TBL_F),
};

static const struct madring_field sm_info[] = {
	FIELD(GUID, "GUID", 0, 64, IB_SMINFO_GUID_F),
	FIELD(NUMBER, "SM_Key", 64, 64, IB_SMINFO_KEY_F),
	FIELD(NUMBER, "ActCount", 128, 32, IB_SMINFO_ACT_F),
	FIELD(NUMBER, "Priority", 160, 4, IB_SMINFO_PRIO_F),
	FIELD(NUMBER, "SMState", 164, 4, IB_SMINFO_STATE_F),
};

/* libibmad looks for the modes of HDR and NDR beside their bytes. */
static const struct madring_field port_info_extended[] = {
	FIELD(NUMBER, "CapabilityMask", 0, 32, IB_PORT_EXT_CAPMASK_F),
	FIELD(NUMBER, "FECModeActive", 32, 16, IB_PORT_EXT_FEC_MODE_ACTIVE_F),
	FIELD(NUMBER, "FDRFECModeSupported", 48, 16, IB_PORT_EXT_FDR_FEC_MODE_SUPPORTED_F),
	FIELD(NUMBER, "FDRFECModeEnabled", 64, 16, IB_PORT_EXT_FDR_FEC_MODE_ENABLED_F),
	FIELD(NUMBER, "EDRFECModeSupported", 80, 16, IB_PORT_EXT_EDR_FEC_MODE_SUPPORTED_F),
	FIELD(NUMBER, "EDRFECModeEnabled", 96, 16, IB_PORT_EXT_EDR_FEC_MODE_ENABLED_F),
	FIELD(NUMBER, "HDRFECModeSupported", 112, 16, IB_PORT_EXT_HDR_FEC_MODE_SUPPORTED_F),
	FIELD(NUMBER, "HDRFECModeEnabled", 128, 16, IB_PORT_EXT_HDR_FEC_MODE_ENABLED_F),
	FIELD(NUMBER, "NDRFECModeSupported", 144, 16, IB_PORT_EXT_NDR_FEC_MODE_SUPPORTED_F),
	FIELD(NUMBER, "NDRFECModeEnabled", 160, 16, IB_PORT_EXT_NDR_FEC_MODE_ENABLED_F),
};

static const struct madring_field extended_port_info[] = {
	FIELD(NUMBER, "StateChangeEnable", 24, 8, IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F),
	FIELD(NUMBER, "LinkSpeedSupported", 56, 8, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F),
	FIELD(NUMBER, "LinkSpeedEnabled", 88, 8, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F),
	FIELD(NUMBER, "LinkSpeedActive", 120, 8, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F),
};

const struct attribute_fields subnet_attributes[] = {
	ATTRIBUTE(MADRING_ATTR_NOTICE, notice),
	ATTRIBUTE(MADRING_ATTR_NODE_DESCRIPTION, node_description),
	ATTRIBUTE(MADRING_ATTR_NODE_INFO, node_info),
	ATTRIBUTE(MADRING_ATTR_SWITCH_INFO, switch_info),
	ATTRIBUTE(MADRING_ATTR_GUID_INFO, guid_info),
	ATTRIBUTE(MADRING_ATTR_PORT_INFO, port_info),
	ATTRIBUTE(MADRING_ATTR_PKEY_TABLE, pkey_table),
	ATTRIBUTE(MADRING_ATTR_SL_TO_VL_MAPPING_TABLE, sl_to_vl),
	ATTRIBUTE(MADRING_ATTR_VL_ARBITRATION_TABLE, vl_arbitration),
	ATTRIBUTE(MADRING_ATTR_LINEAR_FORWARDING_TABLE, linear_forwarding),
	ATTRIBUTE(MADRING_ATTR_MULTICAST_FORWARDING_TABLE, multicast_forwarding),
	ATTRIBUTE(MADRING_ATTR_SM_INFO, sm_info),
	ATTRIBUTE(MADRING_ATTR_PORT_INFO_EXTENDED, port_info_extended),
	ATTRIBUTE(MADRING_ATTR_EXTENDED_PORT_INFO, extended_port_info),
	{ 0, 0, 0, NULL },
};
