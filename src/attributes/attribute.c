/* SPDX-License-Identifier: BSD-2-Clause */
#include "attributes/attribute.h"

#include <limits.h>
#include <string.h>

#include <infiniband/mad.h>
#include <madring/mad.h>
#include <madring/names.h>

enum kind { SUBNET, ADMINISTRATION, PERFORMANCE, CONGESTION, ANY_GENERAL, NONE };

/* libibmad prints an attribute by a function of its own, or by a range of fields. */
struct attribute {
	enum kind kind;
	uint16_t id;
	const char *name;
	ib_mad_dump_fn *dump;
	int first, last;
};

static const struct attribute attributes[] = {
	{ SUBNET, MADRING_ATTR_NODE_DESCRIPTION, "NodeDescription", mad_dump_nodedesc, 0, 0 },
	{ SUBNET, MADRING_ATTR_NODE_INFO, "NodeInfo", mad_dump_nodeinfo, 0, 0 },
	{ SUBNET, MADRING_ATTR_SWITCH_INFO, "SwitchInfo", mad_dump_switchinfo, 0, 0 },
	{ SUBNET, MADRING_ATTR_PORT_INFO, "PortInfo", mad_dump_portinfo, 0, 0 },
	{ SUBNET, IB_ATTR_SLVL_TABLE, "SLtoVLMappingTable", mad_dump_sltovl, 0, 0 },
	{ SUBNET, IB_ATTR_VL_ARBITRATION, "VLArbitrationTable", mad_dump_vlarbitration, 0, 0 },
	{ SUBNET, MADRING_ATTR_SM_INFO, "SMInfo", NULL, IB_SMINFO_GUID_F, IB_SMINFO_STATE_F },
	{ SUBNET, IB_ATTR_PORT_INFO_EXT, "PortInfoExtended", mad_dump_portinfo_ext, 0, 0 },
	{ SUBNET, MADRING_ATTR_EXTENDED_PORT_INFO, "MlnxExtPortInfo", mad_dump_mlnx_ext_port_info,
	  0, 0 },

	/*
	 * The range ends before the NodeDescription, which libibmad takes for a terminated string.
	 */
	{ ADMINISTRATION, IB_SA_ATTR_NODERECORD, "NodeRecord", NULL, IB_SA_NR_FIRST_F,
	  IB_SA_NR_VENDORID_F },
	{ ADMINISTRATION, IB_SA_ATTR_GUIDINFORECORD, "GUIDInfoRecord", NULL, IB_SA_GIR_LID_F,
	  IB_SA_GIR_GUID7_F },
	{ ADMINISTRATION, MADRING_ATTR_PATH_RECORD, "PathRecord", NULL, IB_SA_PR_DGID_F,
	  IB_SA_PR_SL_F },
	{ ADMINISTRATION, IB_SA_ATTR_MCRECORD, "MCMemberRecord", NULL, IB_SA_MCM_MGID_F,
	  IB_SA_MCM_PROXY_JOIN_F },

	{ PERFORMANCE, IB_GSI_PORT_SAMPLES_CONTROL, "PortSamplesControl",
	  mad_dump_portsamples_control, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_SAMPLES_RESULT, "PortSamplesResult", mad_dump_portsamples_result,
	  0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_COUNTERS, "PortCounters", mad_dump_perfcounters, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_RCV_ERROR_DETAILS, "PortRcvErrorDetails",
	  mad_dump_perfcounters_rcv_err, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_XMIT_DISCARD_DETAILS, "PortXmitDiscardDetails",
	  mad_dump_perfcounters_xmt_disc, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_PORT_OP_RCV_COUNTERS, "PortOpRcvCounters",
	  mad_dump_perfcounters_port_op_rcv_counters, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_PORT_FLOW_CTL_COUNTERS, "PortFlowCtlCounters",
	  mad_dump_perfcounters_port_flow_ctl_counters, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_PORT_VL_OP_PACKETS, "PortVLOpPackets",
	  mad_dump_perfcounters_port_vl_op_packet, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_PORT_VL_OP_DATA, "PortVLOpData",
	  mad_dump_perfcounters_port_vl_op_data, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS,
	  "PortVLXmitFlowCtlUpdateErrors",
	  mad_dump_perfcounters_port_vl_xmit_flow_ctl_update_errors, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_PORT_VL_XMIT_WAIT_COUNTERS, "PortVLXmitWaitCounters",
	  mad_dump_perfcounters_port_vl_xmit_wait_counters, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_COUNTERS_EXT, "PortCountersExtended", mad_dump_perfcounters_ext,
	  0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_EXT_SPEEDS_COUNTERS, "PortExtendedSpeedsCounters",
	  mad_dump_port_ext_speeds_counters, 0, 0 },
	{ PERFORMANCE, IB_GSI_SW_PORT_VL_CONGESTION, "SwPortVLCongestion",
	  mad_dump_perfcounters_sw_port_vl_congestion, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_RCV_CON_CTRL, "PortRcvConCtrl",
	  mad_dump_perfcounters_rcv_con_ctrl, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_SL_RCV_FECN, "PortSLRcvFECN", mad_dump_perfcounters_sl_rcv_fecn,
	  0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_SL_RCV_BECN, "PortSLRcvBECN", mad_dump_perfcounters_sl_rcv_becn,
	  0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_XMIT_CON_CTRL, "PortXmitConCtrl",
	  mad_dump_perfcounters_xmit_con_ctrl, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_VL_XMIT_TIME_CONG, "PortVLXmitTimeCong",
	  mad_dump_perfcounters_vl_xmit_time_cong, 0, 0 },
	{ PERFORMANCE, IB_GSI_PORT_XMIT_DATA_SL, "PortXmitDataSL", mad_dump_perfcounters_xmt_sl, 0,
	  0 },
	{ PERFORMANCE, IB_GSI_PORT_RCV_DATA_SL, "PortRcvDataSL", mad_dump_perfcounters_rcv_sl, 0,
	  0 },

	{ CONGESTION, IB_CC_ATTR_CONGESTION_INFO, "CongestionInfo", mad_dump_cc_congestioninfo, 0,
	  0 },
	{ CONGESTION, IB_CC_ATTR_CONGESTION_KEY_INFO, "CongestionKeyInfo",
	  mad_dump_cc_congestionkeyinfo, 0, 0 },
	{ CONGESTION, IB_CC_ATTR_SWITCH_CONGESTION_SETTING, "SwitchCongestionSetting",
	  mad_dump_cc_switchcongestionsetting, 0, 0 },
	{ CONGESTION, IB_CC_ATTR_CA_CONGESTION_SETTING, "CACongestionSetting",
	  mad_dump_cc_cacongestionsetting, 0, 0 },
	{ CONGESTION, IB_CC_ATTR_TIMESTAMP, "TimeStamp", mad_dump_cc_timestamp, 0, 0 },

	{ ANY_GENERAL, MADRING_ATTR_CLASS_PORT_INFO, "ClassPortInfo", mad_dump_classportinfo, 0,
	  0 },
};

static enum kind kind_of(uint8_t mgmt_class)
{
	switch (mgmt_class) {
	case MADRING_CLASS_SMP:
	case MADRING_CLASS_SMP_DIRECTED:
		return SUBNET;
	case MADRING_CLASS_SA:
		return ADMINISTRATION;
	case MADRING_CLASS_PMA:
		return PERFORMANCE;
	case MADRING_CLASS_CC:
		return CONGESTION;
	default:
		return NONE;
	}
}

const struct attribute *attribute_find(uint8_t mgmt_class, uint16_t id)
{
	enum kind kind = kind_of(mgmt_class);

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		const struct attribute *attribute = &attributes[i];

		if (attribute->id == id &&
		    (attribute->kind == kind || (attribute->kind == ANY_GENERAL && kind != SUBNET)))
			return attribute;
	}
	return NULL;
}

const char *attribute_name(const struct attribute *attribute)
{
	return attribute->name;
}

/* Returns how many bytes libibmad may read of an attribute. It does read as many. */
static int readable_bytes(enum kind kind)
{
	return kind == SUBNET ? MADRING_SMP_DATA_BYTES : ATTRIBUTE_BYTES;
}

void attribute_text(const struct attribute *attribute, char *text, size_t bytes,
		    const uint8_t *data)
{
	int room = bytes < INT_MAX ? (int)bytes : INT_MAX;
	void *value = (void *)(uintptr_t)data; /* it is only read */

	memset(text, 0, bytes);
	if (attribute->dump)
		attribute->dump(text, room, value, readable_bytes(attribute->kind));
	else
		mad_dump_fields(text, room, value, readable_bytes(attribute->kind),
				attribute->first, attribute->last + 1);
	text[bytes - 1] = '\0';
}
