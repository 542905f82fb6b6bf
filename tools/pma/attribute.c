/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>

#include <madring/field.h>

#include "attribute.h"

/* The offset of PortSelect in all of these attributes (IBA 16.1.3.5). */
#define PORT_SELECT_OFFSET 1

#define LAST(field) IB_PC_##field##_LAST_F

static const struct pma_attribute_info attributes[PMA_ATTRIBUTES] = {
	[PMA_COUNTERS] = { IB_GSI_PORT_COUNTERS, "PortCounters", IB_PC_ERR_SYM_F, IB_PC_LAST_F,
			   mad_dump_perfcounters },
	[PMA_EXTENDED] = { IB_GSI_PORT_COUNTERS_EXT, "PortCountersExtended", IB_PC_EXT_XMT_BYTES_F,
			   IB_PC_EXT_LAST_F, mad_dump_perfcounters_ext },
	[PMA_RCV_ERROR_DETAILS] = { IB_GSI_PORT_RCV_ERROR_DETAILS, "PortRcvErrorDetails",
				    IB_PC_RCV_LOCAL_PHY_ERR_F, LAST(RCV_ERR),
				    mad_dump_perfcounters_rcv_err },
	[PMA_XMIT_DISCARD_DETAILS] = { IB_GSI_PORT_XMIT_DISCARD_DETAILS, "PortXmitDiscardDetails",
				       IB_PC_XMT_INACT_DISC_F, LAST(XMT_DISC),
				       mad_dump_perfcounters_xmt_disc },
	[PMA_OP_RCV_COUNTERS] = { IB_GSI_PORT_PORT_OP_RCV_COUNTERS, "PortOpRcvCounters",
				  IB_PC_PORT_OP_RCV_PKTS_F, LAST(PORT_OP_RCV_COUNTERS),
				  mad_dump_perfcounters_port_op_rcv_counters },
	[PMA_FLOW_CTL_COUNTERS] = { IB_GSI_PORT_PORT_FLOW_CTL_COUNTERS, "PortFlowCtlCounters",
				    IB_PC_PORT_XMIT_FLOW_PKTS_F, LAST(PORT_FLOW_CTL_COUNTERS),
				    mad_dump_perfcounters_port_flow_ctl_counters },
	[PMA_VL_OP_PACKETS] = { IB_GSI_PORT_PORT_VL_OP_PACKETS, "PortVLOpPackets",
				IB_PC_PORT_VL_OP_PACKETS0_F, LAST(PORT_VL_OP_PACKETS),
				mad_dump_perfcounters_port_vl_op_packet },
	[PMA_VL_OP_DATA] = { IB_GSI_PORT_PORT_VL_OP_DATA, "PortVLOpData", IB_PC_PORT_VL_OP_DATA0_F,
			     LAST(PORT_VL_OP_DATA), mad_dump_perfcounters_port_vl_op_data },
	[PMA_VL_XMIT_FLOW_CTL_ERRORS] = { IB_GSI_PORT_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS,
					  "PortVLXmitFlowCtlUpdateErrors",
					  IB_PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS0_F,
					  LAST(PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS),
					  mad_dump_perfcounters_port_vl_xmit_flow_ctl_update_errors },
	[PMA_VL_XMIT_WAIT] = { IB_GSI_PORT_PORT_VL_XMIT_WAIT_COUNTERS, "PortVLXmitWaitCounters",
			       IB_PC_PORT_VL_XMIT_WAIT0_F, LAST(PORT_VL_XMIT_WAIT_COUNTERS),
			       mad_dump_perfcounters_port_vl_xmit_wait_counters },
	[PMA_SW_PORT_VL_CONGESTION] = { IB_GSI_SW_PORT_VL_CONGESTION, "SwPortVLCongestion",
					IB_PC_SW_PORT_VL_CONGESTION0_F, LAST(SW_PORT_VL_CONGESTION),
					mad_dump_perfcounters_sw_port_vl_congestion },
	[PMA_RCV_CON_CTRL] = { IB_GSI_PORT_RCV_CON_CTRL, "PortRcvConCtrl",
			       IB_PC_RCV_CON_CTRL_PKT_RCV_FECN_F, LAST(RCV_CON_CTRL),
			       mad_dump_perfcounters_rcv_con_ctrl },
	[PMA_SL_RCV_FECN] = { IB_GSI_PORT_SL_RCV_FECN, "PortSLRcvFECN", IB_PC_SL_RCV_FECN0_F,
			      LAST(SL_RCV_FECN), mad_dump_perfcounters_sl_rcv_fecn },
	[PMA_SL_RCV_BECN] = { IB_GSI_PORT_SL_RCV_BECN, "PortSLRcvBECN", IB_PC_SL_RCV_BECN0_F,
			      LAST(SL_RCV_BECN), mad_dump_perfcounters_sl_rcv_becn },
	[PMA_XMIT_CON_CTRL] = { IB_GSI_PORT_XMIT_CON_CTRL, "PortXmitConCtrl",
				IB_PC_XMIT_CON_CTRL_TIME_CONG_F, LAST(XMIT_CON_CTRL),
				mad_dump_perfcounters_xmit_con_ctrl },
	[PMA_VL_XMIT_TIME_CONG] = { IB_GSI_PORT_VL_XMIT_TIME_CONG, "PortVLXmitTimeCong",
				    IB_PC_VL_XMIT_TIME_CONG0_F, LAST(VL_XMIT_TIME_CONG),
				    mad_dump_perfcounters_vl_xmit_time_cong },
	[PMA_XMIT_DATA_SL] = { IB_GSI_PORT_XMIT_DATA_SL, "PortXmitDataSL", IB_PC_XMT_DATA_SL0_F,
			       LAST(XMT_DATA_SL), mad_dump_perfcounters_xmt_sl },
	[PMA_RCV_DATA_SL] = { IB_GSI_PORT_RCV_DATA_SL, "PortRcvDataSL", IB_PC_RCV_DATA_SL0_F,
			      LAST(RCV_DATA_SL), mad_dump_perfcounters_rcv_sl },
	[PMA_EXTENDED_SPEEDS] = { IB_GSI_PORT_EXT_SPEEDS_COUNTERS, "PortExtendedSpeedsCounters",
				  IB_PESC_SYNC_HDR_ERR_CTR_F, IB_PESC_LAST_F,
				  mad_dump_port_ext_speeds_counters },
};

const struct pma_attribute_info *pma_attribute_info(enum pma_attribute attribute)
{
	return &attributes[attribute];
}

/*
 * Returns a field by libibmad's number, by which this program names the counters. The layouts are
 * those of libmadring-attributes, which is searched once for each number.
 */
static const struct madring_field *field_of(enum MAD_FIELDS number)
{
	static const struct madring_field *found[IB_FIELD_LAST_];
	const struct madring_field *field = __atomic_load_n(&found[number], __ATOMIC_RELAXED);

	if (field)
		return field;
	field = madring_field_by_number((int)number);
	__atomic_store_n(&found[number], field, __ATOMIC_RELAXED);
	return field;
}

void capabilities_read(struct capabilities *capabilities, const uint8_t data[PMA_DATA_BYTES])
{
	capabilities->mask = (uint16_t)madring_field_get(field_of(IB_CPI_CAPMASK_F), data);
	capabilities->mask2 = (uint32_t)madring_field_get(field_of(IB_CPI_CAPMASK2_F), data);
}

uint64_t pma_field(enum MAD_FIELDS field, const uint8_t data[PMA_DATA_BYTES])
{
	return madring_field_get(field_of(field), data);
}

void pma_set_field(enum MAD_FIELDS field, uint8_t data[PMA_DATA_BYTES], uint64_t value)
{
	int error = madring_field_set(field_of(field), data, value);

	assert(!error);
	(void)error;
}

uint64_t pma_field_limit(enum MAD_FIELDS field)
{
	return UINT64_MAX >> (64 - madring_field_bits(field_of(field)));
}

uint8_t pma_port_select(const uint8_t data[PMA_DATA_BYTES])
{
	return data[PORT_SELECT_OFFSET];
}

void pma_set_port_select(uint8_t data[PMA_DATA_BYTES], uint8_t port)
{
	data[PORT_SELECT_OFFSET] = port;
}
