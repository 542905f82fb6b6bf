/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of performance management's attributes (IBA 16.1.3, 16.1.4, A10.4). */
#include "attributes/field_table.h"
#include "attributes/lists.h"

/* The first fields of most attributes. */
#define SELECTS                                                                                    \
	FIELD(NUMBER, "PortSelect", 8, 8, IB_PC_PORT_SELECT_F),                                    \
		FIELD(NUMBER, "CounterSelect", 16, 16, IB_PC_COUNTER_SELECT_F)

static const struct madring_field port_counters[] = { PORT_COUNTERS(LISTED_FIELD) };
static const struct madring_field port_counters_extended[] = { PORT_COUNTERS_EXTENDED(
	LISTED_FIELD) };

static const struct madring_field samples_control[] = {
	FIELD(NUMBER, "OpCode", 0, 8, IB_PSC_OPCODE_F),
	FIELD(NUMBER, "PortSelect", 8, 8, IB_PSC_PORT_SELECT_F),
	FIELD(NUMBER, "Tick", 16, 8, IB_PSC_TICK_F),
	FIELD(NUMBER, "CounterWidth", 29, 3, IB_PSC_COUNTER_WIDTH_F),
	FIELD(NUMBER, "CounterMask0", 34, 3, IB_PSC_COUNTER_MASK0_F),
	FIELD(NUMBER, "CounterMasks1to9", 37, 27, IB_PSC_COUNTER_MASKS1TO9_F),
	FIELD(NUMBER, "CounterMasks10to14", 65, 15, IB_PSC_COUNTER_MASKS10TO14_F),
	FIELD(NUMBER, "SampleMechanisms", 80, 8, IB_PSC_SAMPLE_MECHS_F),
	FIELD(NUMBER, "SampleStatus", 94, 2, IB_PSC_SAMPLE_STATUS_F),
	FIELD(NUMBER, "OptionMask", 96, 64, IB_PSC_OPTION_MASK_F),
	FIELD(NUMBER, "VendorMask", 160, 64, IB_PSC_VENDOR_MASK_F),
	FIELD(NUMBER, "SampleStart", 224, 32, IB_PSC_SAMPLE_START_F),
	FIELD(NUMBER, "SampleInterval", 256, 32, IB_PSC_SAMPLE_INTVL_F),
	FIELD(NUMBER, "Tag", 288, 16, IB_PSC_TAG_F),
	FIELDS_15(NUMBER, "CounterSelect", 304, 16, IB_PSC_COUNTER_SEL0_F),
	FIELD(NUMBER, "SamplesOnlyOptionMask", 576, 64, IB_PSC_SAMPLES_ONLY_OPT_MASK_F),
};

static const struct madring_field samples_result[] = {
	FIELD(NUMBER, "Tag", 0, 16, IB_PSR_TAG_F),
	FIELD(NUMBER, "SampleStatus", 30, 2, IB_PSR_SAMPLE_STATUS_F),
	FIELDS_15(NUMBER, "Counter", 32, 32, IB_PSR_COUNTER0_F),
};

static const struct madring_field rcv_error_details[] = {
	SELECTS,
	FIELD(NUMBER, "PortLocalPhysicalErrors", 32, 16, IB_PC_RCV_LOCAL_PHY_ERR_F),
	FIELD(NUMBER, "PortMalformedPacketErrors", 48, 16, IB_PC_RCV_MALFORMED_PKT_ERR_F),
	FIELD(NUMBER, "PortBufferOverrunErrors", 64, 16, IB_PC_RCV_BUF_OVR_ERR_F),
	FIELD(NUMBER, "PortDLIDMappingErrors", 80, 16, IB_PC_RCV_DLID_MAP_ERR_F),
	FIELD(NUMBER, "PortVLMappingErrors", 96, 16, IB_PC_RCV_VL_MAP_ERR_F),
	FIELD(NUMBER, "PortLoopingErrors", 112, 16, IB_PC_RCV_LOOPING_ERR_F),
};

static const struct madring_field xmit_discard_details[] = {
	SELECTS,
	FIELD(NUMBER, "PortInactiveDiscards", 32, 16, IB_PC_XMT_INACT_DISC_F),
	FIELD(NUMBER, "PortNeighborMTUDiscards", 48, 16, IB_PC_XMT_NEIGH_MTU_DISC_F),
	FIELD(NUMBER, "PortSwLifetimeLimitDiscards", 64, 16, IB_PC_XMT_SW_LIFE_DISC_F),
	FIELD(NUMBER, "PortSwHOQLifetimeLimitDiscards", 80, 16, IB_PC_XMT_SW_HOL_DISC_F),
};

static const struct madring_field op_rcv_counters[] = {
	SELECTS,
	FIELD(NUMBER, "PortOpRcvPkts", 32, 32, IB_PC_PORT_OP_RCV_PKTS_F),
	FIELD(NUMBER, "PortOpRcvData", 64, 32, IB_PC_PORT_OP_RCV_DATA_F),
};

static const struct madring_field flow_ctl_counters[] = {
	SELECTS,
	FIELD(NUMBER, "PortXmitFlowPkts", 32, 32, IB_PC_PORT_XMIT_FLOW_PKTS_F),
	FIELD(NUMBER, "PortRcvFlowPkts", 64, 32, IB_PC_PORT_RCV_FLOW_PKTS_F),
};

static const struct madring_field vl_op_packets[] = {
	SELECTS,
	FIELDS_16(NUMBER, "PortVLOpPackets", 32, 16, IB_PC_PORT_VL_OP_PACKETS0_F),
};

static const struct madring_field vl_op_data[] = {
	SELECTS,
	FIELDS_16(NUMBER, "PortVLOpData", 32, 32, IB_PC_PORT_VL_OP_DATA0_F),
};

static const struct madring_field vl_xmit_flow_ctl_update_errors[] = {
	SELECTS,
	FIELDS_16(NUMBER, "PortVLXmitFlowCtlUpdateErrors", 32, 2,
		  IB_PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS0_F),
};

static const struct madring_field vl_xmit_wait[] = {
	SELECTS,
	FIELDS_16(NUMBER, "PortVLXmitWait", 32, 16, IB_PC_PORT_VL_XMIT_WAIT0_F),
};

#define LANES_12(name, offset, bits, number) FIELDS_12(NUMBER, name "Lane", offset, bits, number)

static const struct madring_field extended_speeds_counters[] = {
	FIELD(NUMBER, "PortSelect", 8, 8, IB_PESC_PORT_SELECT_F),
	FIELD(NUMBER, "CounterSelect", 64, 64, IB_PESC_COUNTER_SELECT_F),
	FIELD(NUMBER, "SyncHeaderErrorCounter", 128, 16, IB_PESC_SYNC_HDR_ERR_CTR_F),
	FIELD(NUMBER, "UnknownBlockCounter", 144, 16, IB_PESC_UNK_BLOCK_CTR_F),
	LANES_12("ErrorDetectionCounter", 160, 16, IB_PESC_ERR_DET_CTR_LANE0_F),
	LANES_12("FECCorrectableBlockCtr", 352, 32, IB_PESC_FEC_CORR_BLOCK_CTR_LANE0_F),
	LANES_12("FECUncorrectableBlockCtr", 736, 32, IB_PESC_FEC_UNCORR_BLOCK_CTR_LANE0_F),
	/* With RS-FEC the first lanes count symbols. */
	LANES_12("FECCorrectedSymbolCtr", 352, 32, IB_PESC_RSFEC_FEC_CORR_SYMBOL_CTR_LANE0_F),
	FIELD(NUMBER, "PortFECCorrectableBlockCtr", 1120, 32, IB_PESC_PORT_FEC_CORR_BLOCK_CTR_F),
	FIELD(NUMBER, "PortFECUncorrectableBlockCtr", 1152, 32,
	      IB_PESC_PORT_FEC_UNCORR_BLOCK_CTR_F),
	FIELD(NUMBER, "PortFECCorrectedSymbolCtr", 1184, 32, IB_PESC_PORT_FEC_CORR_SYMBOL_CTR_F),
};

static const struct madring_field sw_vl_congestion[] = {
	SELECTS,
	FIELDS_16(NUMBER, "SwPortVLCongestion", 32, 16, IB_PC_SW_PORT_VL_CONGESTION0_F),
};

static const struct madring_field rcv_con_ctrl[] = {
	SELECTS,
	FIELD(NUMBER, "PortPktRcvFECN", 32, 32, IB_PC_RCV_CON_CTRL_PKT_RCV_FECN_F),
	FIELD(NUMBER, "PortPktRcvBECN", 64, 32, IB_PC_RCV_CON_CTRL_PKT_RCV_BECN_F),
};

static const struct madring_field sl_rcv_fecn[] = {
	SELECTS,
	FIELDS_16(NUMBER, "PortSLRcvFECN", 32, 32, IB_PC_SL_RCV_FECN0_F),
};

static const struct madring_field sl_rcv_becn[] = {
	SELECTS,
	FIELDS_16(NUMBER, "PortSLRcvBECN", 32, 32, IB_PC_SL_RCV_BECN0_F),
};

static const struct madring_field xmit_con_ctrl[] = {
	SELECTS,
	FIELD(NUMBER, "PortXmitTimeCong", 32, 32, IB_PC_XMIT_CON_CTRL_TIME_CONG_F),
};

static const struct madring_field vl_xmit_time_cong[] = {
	SELECTS,
	FIELDS_15(NUMBER, "PortVLXmitTimeCong", 32, 32, IB_PC_VL_XMIT_TIME_CONG0_F),
};

static const struct madring_field xmit_data_sl[] = {
	SELECTS,
	FIELDS_16(NUMBER, "PortXmitDataSL", 32, 32, IB_PC_XMT_DATA_SL0_F),
};

static const struct madring_field rcv_data_sl[] = {
	SELECTS,
	FIELDS_16(NUMBER, "PortRcvDataSL", 32, 32, IB_PC_RCV_DATA_SL0_F),
};

const struct attribute_fields performance_attributes[] = {
	ATTRIBUTE(MADRING_ATTR_PORT_COUNTERS, port_counters),
	ATTRIBUTE(MADRING_ATTR_PORT_COUNTERS_EXTENDED, port_counters_extended),
	ATTRIBUTE(MADRING_ATTR_PORT_SAMPLES_CONTROL, samples_control),
	ATTRIBUTE(MADRING_ATTR_PORT_SAMPLES_RESULT, samples_result),
	ATTRIBUTE(MADRING_ATTR_PORT_RCV_ERROR_DETAILS, rcv_error_details),
	ATTRIBUTE(MADRING_ATTR_PORT_XMIT_DISCARD_DETAILS, xmit_discard_details),
	ATTRIBUTE(MADRING_ATTR_PORT_OP_RCV_COUNTERS, op_rcv_counters),
	ATTRIBUTE(MADRING_ATTR_PORT_FLOW_CTL_COUNTERS, flow_ctl_counters),
	ATTRIBUTE(MADRING_ATTR_PORT_VL_OP_PACKETS, vl_op_packets),
	ATTRIBUTE(MADRING_ATTR_PORT_VL_OP_DATA, vl_op_data),
	ATTRIBUTE(MADRING_ATTR_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS, vl_xmit_flow_ctl_update_errors),
	ATTRIBUTE(MADRING_ATTR_PORT_VL_XMIT_WAIT_COUNTERS, vl_xmit_wait),
	ATTRIBUTE(MADRING_ATTR_PORT_EXTENDED_SPEEDS_COUNTERS, extended_speeds_counters),
	ATTRIBUTE(MADRING_ATTR_SW_PORT_VL_CONGESTION, sw_vl_congestion),
	ATTRIBUTE(MADRING_ATTR_PORT_RCV_CON_CTRL, rcv_con_ctrl),
	ATTRIBUTE(MADRING_ATTR_PORT_SL_RCV_FECN, sl_rcv_fecn),
	ATTRIBUTE(MADRING_ATTR_PORT_SL_RCV_BECN, sl_rcv_becn),
	ATTRIBUTE(MADRING_ATTR_PORT_XMIT_CON_CTRL, xmit_con_ctrl),
	ATTRIBUTE(MADRING_ATTR_PORT_VL_XMIT_TIME_CONG, vl_xmit_time_cong),
	ATTRIBUTE(MADRING_ATTR_PORT_XMIT_DATA_SL, xmit_data_sl),
	ATTRIBUTE(MADRING_ATTR_PORT_RCV_DATA_SL, rcv_data_sl),
	{ 0, 0, 0, NULL },
};
