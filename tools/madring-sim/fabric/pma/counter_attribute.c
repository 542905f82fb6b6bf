/* SPDX-License-Identifier: BSD-2-Clause */
#include <strings.h>

#include "fabric/pma/counter_attribute.h"

/*
 * There is one select bit for each counter. The model has no congestion control, so the
 * attributes that count its packets, 0x31 to 0x35, are missing, as OptionMask says. Neither
 * QP1Dropped nor the counters of RS-FEC are there, as ClassPortInfo says.
 */
static const struct attribute attributes[] = {
	{
		.id = IB_GSI_PORT_COUNTERS,
		.select = SELECT_COUNTERS,
		.run = { { FABRIC_SYMBOL_ERRORS, 1, IB_PC_ERR_SYM_F, 16, 0 },
			 { FABRIC_LINK_RECOVERIES, 2, IB_PC_LINK_RECOVERS_F, 8, 1 },
			 { FABRIC_RCV_ERRORS, 4, IB_PC_ERR_RCV_F, 16, 3 },
			 { FABRIC_XMIT_CONSTRAINT_ERRORS, 2, IB_PC_ERR_XMTCONSTR_F, 8, 7 },
			 { FABRIC_LOCAL_LINK_INTEGRITY_ERRORS, 2, IB_PC_ERR_LOCALINTEG_F, 4, 9 },
			 { FABRIC_VL15_DROPPED, 1, IB_PC_VL15_DROPPED_F, 16, 11 },
			 { FABRIC_XMIT_DATA, 5, IB_PC_XMT_BYTES_F, 32, 12 } },
	},
	{
		.id = IB_GSI_PORT_COUNTERS_EXT,
		.select = SELECT_EXTENDED,
		.view = COUNTER_WRAPS,
		.option_mask = UINT64_C(0xf) << 24,
		.run = { { FABRIC_XMIT_DATA, 4, IB_PC_EXT_XMT_BYTES_F, 64, 0 },
			 { FABRIC_UNICAST_XMIT_PKTS, 4, IB_PC_EXT_XMT_UPKTS_F, 64, 4 },
			 { FABRIC_SYMBOL_ERRORS, 12, IB_PC_EXT_ERR_SYM_F, 64, 16 },
			 { FABRIC_XMIT_WAIT, 1, IB_PC_EXT_XMT_WAIT_F, 64, 28 } },
	},
	{
		.id = IB_GSI_PORT_RCV_ERROR_DETAILS,
		.option_mask = UINT64_C(0x3f) << 6,
		.run = { { FABRIC_LOCAL_PHYSICAL_ERRORS, 6, IB_PC_RCV_LOCAL_PHY_ERR_F, 16, 0 } },
	},
	{
		.id = IB_GSI_PORT_XMIT_DISCARD_DETAILS,
		.option_mask = UINT64_C(0xf) << 12,
		.run = { { FABRIC_INACTIVE_DISCARDS, 4, IB_PC_XMT_INACT_DISC_F, 16, 0 } },
	},
	{
		.id = IB_GSI_PORT_PORT_OP_RCV_COUNTERS,
		.has_opcode = true,
		.option_mask = UINT64_C(3) << 16,
		.run = { { FABRIC_OP_RCV_PKTS, 2, IB_PC_PORT_OP_RCV_PKTS_F, 32, 0 } },
	},
	{
		.id = IB_GSI_PORT_PORT_FLOW_CTL_COUNTERS,
		.option_mask = UINT64_C(3) << 18,
		.run = { { FABRIC_XMIT_FLOW_PKTS, 2, IB_PC_PORT_XMIT_FLOW_PKTS_F, 32, 0 } },
	},
	{
		.id = IB_GSI_PORT_PORT_VL_OP_PACKETS,
		.has_opcode = true,
		.option_mask = UINT64_C(1) << 20,
		.run = { { FABRIC_VL_OP_PACKETS, FABRIC_VLS, IB_PC_PORT_VL_OP_PACKETS0_F, 16, 0 } },
	},
	{
		.id = IB_GSI_PORT_PORT_VL_OP_DATA,
		.has_opcode = true,
		.option_mask = UINT64_C(1) << 21,
		.run = { { FABRIC_VL_OP_DATA, FABRIC_VLS, IB_PC_PORT_VL_OP_DATA0_F, 32, 0 } },
	},
	{
		.id = IB_GSI_PORT_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS,
		.option_mask = UINT64_C(1) << 22,
		.run = { { FABRIC_VL_XMIT_FLOW_CTL_UPDATE_ERRORS, FABRIC_VLS,
			   IB_PC_PORT_VL_XMIT_FLOW_CTL_UPDATE_ERRORS0_F, 2, 0 } },
	},
	{
		.id = IB_GSI_PORT_PORT_VL_XMIT_WAIT_COUNTERS,
		.option_mask = UINT64_C(1) << 23,
		.run = { { FABRIC_VL_XMIT_WAIT, FABRIC_VLS, IB_PC_PORT_VL_XMIT_WAIT0_F, 16, 0 } },
	},
	{
		.id = IB_GSI_SW_PORT_VL_CONGESTION,
		.switches_only = true,
		.option_mask = UINT64_C(1) << 48,
		.run = { { FABRIC_SW_VL_CONGESTION, FABRIC_VLS, IB_PC_SW_PORT_VL_CONGESTION0_F, 16,
			   0 } },
	},
	{
		.id = IB_GSI_PORT_XMIT_DATA_SL,
		.option_mask = UINT64_C(1) << 55,
		.run = { { FABRIC_XMIT_DATA_SL, FABRIC_VLS, IB_PC_XMT_DATA_SL0_F, 32, 0 } },
	},
	{
		.id = IB_GSI_PORT_RCV_DATA_SL,
		.option_mask = UINT64_C(1) << 56,
		.run = { { FABRIC_RCV_DATA_SL, FABRIC_VLS, IB_PC_RCV_DATA_SL0_F, 32, 0 } },
	},
	{
		.id = IB_GSI_PORT_EXT_SPEEDS_COUNTERS,
		.select = SELECT_EXTENDED_SPEEDS,
		.option_mask = UINT64_C(1) << 28,
		.run = { { FABRIC_SYNC_HEADER_ERRORS, 2 + FABRIC_LANES, IB_PESC_SYNC_HDR_ERR_CTR_F,
			   16, 0 },
			 { FABRIC_FEC_CORRECTABLE_LANE, 2 * FABRIC_LANES,
			   IB_PESC_FEC_CORR_BLOCK_CTR_LANE0_F, 32, 2 + FABRIC_LANES } },
	},
};

#define ATTRIBUTES (sizeof(attributes) / sizeof(attributes[0]))

static bool has(const struct attribute *attribute, enum node_type type)
{
	return type == NODE_SWITCH || !attribute->switches_only;
}

const struct attribute *attribute_find(uint16_t id, enum node_type type)
{
	for (size_t i = 0; i < ATTRIBUTES; i++)
		if (attributes[i].id == id)
			return has(&attributes[i], type) ? &attributes[i] : NULL;
	return NULL;
}

uint64_t attribute_option_mask(enum node_type type)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < ATTRIBUTES; i++)
		if (has(&attributes[i], type))
			mask |= attributes[i].option_mask;
	return mask;
}

/* get and get64 read a field. libibmad's arguments are not const, but it only reads. */
static uint32_t get(const uint8_t *data, enum MAD_FIELDS field)
{
	return mad_get_field((void *)(uintptr_t)data, 0, field);
}

static uint64_t get64(const uint8_t *data, enum MAD_FIELDS field)
{
	return mad_get_field64((void *)(uintptr_t)data, 0, field);
}

uint64_t attribute_selected(const struct attribute *attribute, const uint8_t *data)
{
	uint64_t select = get(data, IB_PC_COUNTER_SELECT_F);

	switch (attribute->select) {
	case SELECT_COUNTERS:
		return select | (uint64_t)get(data, IB_PC_COUNTER_SELECT2_F) << 16;
	case SELECT_EXTENDED:
		return select | (uint64_t)get(data, IB_PC_EXT_COUNTER_SELECT2_F) << 16;
	case SELECT_EXTENDED_SPEEDS:
		return get64(data, IB_PESC_COUNTER_SELECT_F);
	default:
		return select;
	}
}

uint64_t attribute_get(const struct counter_run *run, unsigned int n, const uint8_t *data)
{
	enum MAD_FIELDS field = run->field + n;

	return run->bits == 64 ? get64(data, field) : get(data, field);
}

void attribute_put(const struct counter_run *run, unsigned int n, uint8_t *data, uint64_t value)
{
	enum MAD_FIELDS field = run->field + n;

	if (run->bits == 64)
		mad_set_field64(data, 0, field, value);
	else
		mad_set_field(data, 0, field, (uint32_t)value);
}

static const struct counter_run *find_run(enum fabric_counter which, enum counter_view view)
{
	for (size_t i = 0; i < ATTRIBUTES; i++)
		for (const struct counter_run *run = attributes[i].run;
		     attributes[i].view == view && run->count; run++)
			if (which >= run->first && which < run->first + run->count)
				return run;
	return NULL;
}

const struct counter_run *attribute_shows(enum fabric_counter which, enum counter_view *view)
{
	const struct counter_run *run = find_run(which, COUNTER_WRAPS);

	*view = run ? COUNTER_WRAPS : COUNTER_STICKS;
	return run ? run : find_run(which, COUNTER_STICKS);
}

const char *fabric_counter_name(enum fabric_counter counter)
{
	enum counter_view view;
	const struct counter_run *run = attribute_shows(counter, &view);

	return mad_field_name(run->field + counter - run->first);
}

bool fabric_counter_of(const char *name, enum fabric_counter *counter)
{
	for (unsigned int i = 0; i < FABRIC_COUNTERS; i++) {
		if (strcasecmp(name, fabric_counter_name(i)) == 0) {
			*counter = i;
			return true;
		}
	}
	return false;
}
