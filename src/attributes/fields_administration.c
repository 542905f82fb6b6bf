/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of subnet administration's records, and their components (IBA 15.2.5). */
#include "attributes/field_table.h"
#include "attributes/lists.h"

/*
 * Write the rows of a record for the fields of an attribute, which follow those of the record's
 * own.
 */
#define RECORD_FIELD(kind, name, offset, bits, number, component, member)                          \
	{ name, number, offset, bits, MADRING_FIELD_##kind, component },
/* The numbers of NodeRecord are in the order of those of NodeInfo. */
#define NODE_FIELD(kind, name, offset, bits, number, component, member)                            \
	{ name,                                                                                    \
	  IB_SA_NR_BASEVER_F + (number) - IB_NODE_FIRST_F,                                         \
	  32 + (offset),                                                                           \
	  bits,                                                                                    \
	  MADRING_FIELD_##kind,                                                                    \
	  component },
#define FIELD_AT_4(kind, name, offset, bits, number, component, member)                            \
	{ name, number, 32 + (offset), bits, MADRING_FIELD_##kind, component },
#define FIELD_AT_24(kind, name, offset, bits, number, component, member)                           \
	{ name, number, 192 + (offset), bits, MADRING_FIELD_##kind, component },

static const struct madring_field node_record[] = {
	{ "LID", IB_SA_NR_LID_F, 0, 16, MADRING_FIELD_NUMBER, COMPONENT(0) },
	NODE_INFO(NODE_FIELD){ "NodeString", IB_SA_NR_NODEDESC_F, 352, 512, MADRING_FIELD_TEXT,
			       COMPONENT(14) },
};

static const struct madring_field port_info_record[] = {
	COMPONENT_FIELD(NUMBER, "EndportLID", 0, 16, 0),
	COMPONENT_FIELD(NUMBER, "PortNum", 16, 8, 1), COMPONENT_FIELD(NUMBER, "Options", 24, 8, 2),
	PORT_INFO(FIELD_AT_4)
};

static const struct madring_field sl_to_vl_record[] = {
	COMPONENT_FIELD(NUMBER, "LID", 0, 16, 0),
	COMPONENT_FIELD(NUMBER, "InputPortNum", 16, 8, 1),
	COMPONENT_FIELD(NUMBER, "OutputPortNum", 24, 8, 2),
	FIELD(NUMBER, "SLtoVLMappingTable", 64, 64, IB_SLTOVL_MAPPING_TABLE_F),
	SL_FIELDS(64),
};

static const struct madring_field switch_info_record[] = { COMPONENT_FIELD(NUMBER, "LID", 0, 16, 0),
							   SWITCH_INFO(FIELD_AT_4) };

static const struct madring_field linear_forwarding_record[] = {
	COMPONENT_FIELD(NUMBER, "LID", 0, 16, 0),
	COMPONENT_FIELD(NUMBER, "BlockNum", 16, 16, 1),
	FIELD(BYTES, "PortBlock", 64, 512, IB_LINEAR_FORW_TBL_F),
};

static const struct madring_field multicast_forwarding_record[] = {
	COMPONENT_FIELD(NUMBER, "LID", 0, 16, 0),
	COMPONENT_FIELD(NUMBER, "Position", 16, 4, 1),
	COMPONENT_FIELD(NUMBER, "BlockNum", 23, 9, 3),
	FIELD(BYTES, "PortMaskBlock", 64, 512, IB_MULTICAST_FORW_TBL_F),
};

static const struct madring_field sm_info_record[] = {
	COMPONENT_FIELD(NUMBER, "LID", 0, 16, 0),
	{ "GUID", IB_SMINFO_GUID_F, 32, 64, MADRING_FIELD_GUID, COMPONENT(2) },
	{ "SM_Key", IB_SMINFO_KEY_F, 96, 64, MADRING_FIELD_NUMBER, COMPONENT(3) },
	{ "ActCount", IB_SMINFO_ACT_F, 160, 32, MADRING_FIELD_NUMBER, COMPONENT(4) },
	{ "Priority", IB_SMINFO_PRIO_F, 192, 4, MADRING_FIELD_NUMBER, COMPONENT(5) },
	{ "SMState", IB_SMINFO_STATE_F, 196, 4, MADRING_FIELD_NUMBER, COMPONENT(6) },
};

static const struct madring_field link_record[] = {
	COMPONENT_FIELD(NUMBER, "FromLID", 0, 16, 0),
	COMPONENT_FIELD(NUMBER, "FromPort", 16, 8, 1),
	COMPONENT_FIELD(NUMBER, "ToPort", 24, 8, 2),
	COMPONENT_FIELD(NUMBER, "ToLID", 32, 16, 3),
};

#define GUID_OF(i)                                                                                 \
	{ "GUID" #i, IB_SA_GIR_GUID0_F + (i), 64 + 64 * (i),                                       \
	  64,	     MADRING_FIELD_GUID,      COMPONENT(4 + (i)) }

static const struct madring_field guid_info_record[] = {
	{ "LID", IB_SA_GIR_LID_F, 0, 16, MADRING_FIELD_NUMBER, COMPONENT(0) },
	{ "BlockNum", IB_SA_GIR_BLOCKNUM_F, 16, 8, MADRING_FIELD_NUMBER, COMPONENT(1) },
	GUID_OF(0),
	GUID_OF(1),
	GUID_OF(2),
	GUID_OF(3),
	GUID_OF(4),
	GUID_OF(5),
	GUID_OF(6),
	GUID_OF(7),
};

/* ServiceData is all of the data: 16 components of a byte, 8 of 2 bytes, 4 of 4, and 2 of 8. */
static const struct madring_field service_record[] = {
	{ "ServiceID", IB_SA_SR_ID_F, 0, 64, MADRING_FIELD_NUMBER, COMPONENT(0) },
	{ "ServiceGID", IB_SA_SR_GID_F, 64, 128, MADRING_FIELD_GID, COMPONENT(1) },
	{ "ServiceP_Key", IB_SA_SR_PKEY_F, 192, 16, MADRING_FIELD_NUMBER, COMPONENT(2) },
	{ "ServiceLease", IB_SA_SR_LEASE_F, 224, 32, MADRING_FIELD_NUMBER, COMPONENT(4) },
	{ "ServiceKey", IB_SA_SR_KEY_F, 256, 128, MADRING_FIELD_BYTES, COMPONENT(5) },
	{ "ServiceName", IB_SA_SR_NAME_F, 384, 512, MADRING_FIELD_TEXT, COMPONENT(6) },
	{ "ServiceData", IB_SA_SR_DATA_F, 896, 512, MADRING_FIELD_BYTES, COMPONENTS(7, 30) },
	{ "ServiceData8", 0, 896, 128, MADRING_FIELD_BYTES, COMPONENTS(7, 16) },
	{ "ServiceData16", 0, 1024, 128, MADRING_FIELD_BYTES, COMPONENTS(23, 8) },
	{ "ServiceData32", 0, 1152, 128, MADRING_FIELD_BYTES, COMPONENTS(31, 4) },
	{ "ServiceData64", 0, 1280, 128, MADRING_FIELD_BYTES, COMPONENTS(35, 2) },
};

static const struct madring_field pkey_table_record[] = {
	COMPONENT_FIELD(NUMBER, "LID", 0, 16, 0),
	COMPONENT_FIELD(NUMBER, "BlockNum", 16, 16, 1),
	COMPONENT_FIELD(NUMBER, "PortNum", 32, 8, 2),
	FIELD(BYTES, "P_KeyTableBlock", 64, 512, 0),
};

static const struct madring_field path_record[] = { PATH_RECORD(RECORD_FIELD) };

static const struct madring_field vl_arbitration_record[] = {
	COMPONENT_FIELD(NUMBER, "LID", 0, 16, 0),
	COMPONENT_FIELD(NUMBER, "OutputPortNum", 16, 8, 1),
	COMPONENT_FIELD(NUMBER, "BlockNum", 24, 8, 2),
	FIELD(BYTES, "VL/WeightBlock", 64, 512, IB_VL_ARBITRATION_TABLE_F),
};

static const struct madring_field mc_member_record[] = {
	{ "MGID", IB_SA_MCM_MGID_F, 0, 128, MADRING_FIELD_GID, COMPONENT(0) },
	{ "PortGID", IB_SA_MCM_PORTGID_F, 128, 128, MADRING_FIELD_GID, COMPONENT(1) },
	{ "Q_Key", IB_SA_MCM_QKEY_F, 256, 32, MADRING_FIELD_NUMBER, COMPONENT(2) },
	{ "MLID", IB_SA_MCM_MLID_F, 288, 16, MADRING_FIELD_NUMBER, COMPONENT(3) },
	COMPONENT_FIELD(NUMBER, "MTUSelector", 304, 2, 4),
	{ "MTU", IB_SA_MCM_MTU_F, 306, 6, MADRING_FIELD_NUMBER, COMPONENT(5) },
	{ "TClass", IB_SA_MCM_TCLASS_F, 312, 8, MADRING_FIELD_NUMBER, COMPONENT(6) },
	{ "P_Key", IB_SA_MCM_PKEY_F, 320, 16, MADRING_FIELD_NUMBER, COMPONENT(7) },
	COMPONENT_FIELD(NUMBER, "RateSelector", 336, 2, 8),
	{ "Rate", IB_SA_MCM_RATE_F, 338, 6, MADRING_FIELD_NUMBER, COMPONENT(9) },
	COMPONENT_FIELD(NUMBER, "PacketLifeTimeSelector", 344, 2, 10),
	COMPONENT_FIELD(NUMBER, "PacketLifeTime", 346, 6, 11),
	{ "SL", IB_SA_MCM_SL_F, 352, 4, MADRING_FIELD_NUMBER, COMPONENT(12) },
	{ "FlowLabel", IB_SA_MCM_FLOW_LABEL_F, 356, 20, MADRING_FIELD_NUMBER, COMPONENT(13) },
	COMPONENT_FIELD(NUMBER, "HopLimit", 376, 8, 14),
	COMPONENT_FIELD(NUMBER, "Scope", 384, 4, 15),
	{ "JoinState", IB_SA_MCM_JOIN_STATE_F, 388, 4, MADRING_FIELD_NUMBER, COMPONENT(16) },
	{ "ProxyJoin", IB_SA_MCM_PROXY_JOIN_F, 392, 1, MADRING_FIELD_NUMBER, COMPONENT(17) },
};

#define SDGID(i) FIELD(GID, "SDGID" #i, 192 + 128 * ((i) - 1), 128, 0)

/* These are the fields of a request; its answer has PathRecords. A MAD has room for 11 GIDs. */
static const struct madring_field multi_path_record[] = {
	COMPONENT_FIELD(NUMBER, "RawTraffic", 0, 1, 0),
	COMPONENT_FIELD(NUMBER, "FlowLabel", 4, 20, 2),
	COMPONENT_FIELD(NUMBER, "HopLimit", 24, 8, 3),
	COMPONENT_FIELD(NUMBER, "TClass", 32, 8, 4),
	COMPONENT_FIELD(NUMBER, "Reversible", 40, 1, 5),
	{ "NumbPath", IB_SA_MP_NPATH_F, 41, 7, MADRING_FIELD_NUMBER, COMPONENT(6) },
	COMPONENT_FIELD(NUMBER, "P_Key", 48, 16, 7),
	COMPONENT_FIELD(NUMBER, "QoSClass", 64, 12, 8),
	COMPONENT_FIELD(NUMBER, "SL", 76, 4, 9),
	COMPONENT_FIELD(NUMBER, "MtuSelector", 80, 2, 10),
	COMPONENT_FIELD(NUMBER, "Mtu", 82, 6, 11),
	COMPONENT_FIELD(NUMBER, "RateSelector", 88, 2, 12),
	COMPONENT_FIELD(NUMBER, "Rate", 90, 6, 13),
	COMPONENT_FIELD(NUMBER, "PacketLifeTimeSelector", 96, 2, 14),
	COMPONENT_FIELD(NUMBER, "PacketLifeTime", 98, 6, 15),
	COMPONENT_FIELD(NUMBER, "ServiceID8MSB", 104, 8, 16),
	COMPONENT_FIELD(NUMBER, "IndependenceSelector", 112, 2, 17),
	{ "SGIDCount", IB_SA_MP_NSRC_F, 120, 8, MADRING_FIELD_NUMBER, COMPONENT(19) },
	{ "DGIDCount", IB_SA_MP_NDEST_F, 128, 8, MADRING_FIELD_NUMBER, COMPONENT(20) },
	COMPONENT_FIELD(NUMBER, "ServiceID56LSB", 136, 56, 21),
	FIELD(GID, "SDGID1", 192, 128, IB_SA_MP_GID0_F),
	SDGID(2),
	SDGID(3),
	SDGID(4),
	SDGID(5),
	SDGID(6),
	SDGID(7),
	SDGID(8),
	SDGID(9),
	SDGID(10),
	SDGID(11),
};

static const struct madring_field inform_info_record[] = {
	COMPONENT_FIELD(GID, "SubscriberGID", 0, 128, 0),
	COMPONENT_FIELD(NUMBER, "Enum", 128, 16, 1), INFORM_INFO(FIELD_AT_24)
};

const struct attribute_fields administration_attributes[] = {
	ATTRIBUTE(MADRING_ATTR_NODE_RECORD, node_record),
	ATTRIBUTE(MADRING_ATTR_PORT_INFO_RECORD, port_info_record),
	ATTRIBUTE(MADRING_ATTR_SL_TO_VL_MAPPING_TABLE_RECORD, sl_to_vl_record),
	ATTRIBUTE(MADRING_ATTR_SWITCH_INFO_RECORD, switch_info_record),
	ATTRIBUTE(MADRING_ATTR_LINEAR_FORWARDING_TABLE_RECORD, linear_forwarding_record),
	ATTRIBUTE(MADRING_ATTR_MULTICAST_FORWARDING_TABLE_RECORD, multicast_forwarding_record),
	ATTRIBUTE(MADRING_ATTR_SM_INFO_RECORD, sm_info_record),
	ATTRIBUTE(MADRING_ATTR_LINK_RECORD, link_record),
	ATTRIBUTE(MADRING_ATTR_GUID_INFO_RECORD, guid_info_record),
	ATTRIBUTE(MADRING_ATTR_SERVICE_RECORD, service_record),
	ATTRIBUTE(MADRING_ATTR_PKEY_TABLE_RECORD, pkey_table_record),
	ATTRIBUTE_OF(MADRING_ATTR_PATH_RECORD, path_record, 64),
	ATTRIBUTE(MADRING_ATTR_VL_ARBITRATION_TABLE_RECORD, vl_arbitration_record),
	ATTRIBUTE_OF(MADRING_ATTR_MC_MEMBER_RECORD, mc_member_record, 52),
	ATTRIBUTE(MADRING_ATTR_MULTI_PATH_RECORD, multi_path_record),
	ATTRIBUTE(MADRING_ATTR_INFORM_INFO_RECORD, inform_info_record),
	{ 0, 0, 0, NULL },
};
