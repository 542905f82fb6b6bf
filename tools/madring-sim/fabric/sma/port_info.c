/* SPDX-License-Identifier: BSD-2-Clause */
/* PortInfo. A Set is obeyed in full, or not at all. */
#include <string.h>

#include "fabric/link_state.h"
#include "fabric/sma/mkey.h"
#include "fabric/sma/port_info.h"

#define MODIFIER_EXTENDED_SPEEDS 0x80000000u /* the manager knows them; the rest is the port */

/* What differs from asker to asker, by its offset in the attribute. */
#define MKEY_OFFSET	  0
#define MKEY_BYTES	  8
#define LOCAL_PORT_OFFSET 28

/* Where a field means something. */
enum where {
	AT_HOST = 1, /* a CA's or router's port */
	AT_PORT0 = 2,
	AT_ENHANCED = 4, /* port 0, but only one that is a host's port in all but the link */
	AT_SWITCH = 8,	 /* a switch's other ports */
};

enum zero { ZERO_IS_SET, ZERO_KEEPS, ONLY_ZERO_IS_SET };

static const struct writable {
	enum MAD_FIELDS field;
	int where; /* of enum where */
	enum zero zero;
} writable[] = {
	{ IB_PORT_LID_F, AT_HOST | AT_PORT0, ZERO_IS_SET },
	{ IB_PORT_LMC_F, AT_HOST | AT_ENHANCED, ZERO_IS_SET },
	{ IB_PORT_SMLID_F, AT_HOST | AT_PORT0, ZERO_IS_SET },
	{ IB_PORT_SMSL_F, AT_HOST | AT_PORT0, ZERO_IS_SET },
	{ IB_PORT_MKEY_LEASE_F, AT_HOST | AT_PORT0, ZERO_IS_SET },
	{ IB_PORT_MKEY_PROT_BITS_F, AT_HOST | AT_PORT0, ZERO_IS_SET },
	{ IB_PORT_SUBN_TIMEOUT_F, AT_HOST | AT_PORT0, ZERO_IS_SET },
	{ IB_PORT_MKEY_VIOL_F, AT_HOST | AT_PORT0, ONLY_ZERO_IS_SET },
	{ IB_PORT_PKEY_VIOL_F, AT_HOST | AT_ENHANCED | AT_SWITCH, ONLY_ZERO_IS_SET },
	{ IB_PORT_QKEY_VIOL_F, AT_HOST | AT_ENHANCED, ONLY_ZERO_IS_SET },
	{ IB_PORT_VL_HIGH_LIMIT_F, AT_HOST | AT_ENHANCED | AT_SWITCH, ZERO_IS_SET },
	{ IB_PORT_NEIGHBOR_MTU_F, AT_HOST | AT_SWITCH, ZERO_IS_SET },
	{ IB_PORT_OPER_VLS_F, AT_HOST | AT_SWITCH, ZERO_KEEPS },
	{ IB_PORT_LINK_DOWN_DEF_F, AT_HOST | AT_SWITCH, ZERO_KEEPS },
	{ IB_PORT_LOCAL_PHYS_ERR_F, AT_HOST | AT_SWITCH, ZERO_IS_SET },
	{ IB_PORT_OVERRUN_ERR_F, AT_HOST | AT_SWITCH, ZERO_IS_SET },
	{ IB_PORT_VL_STALL_COUNT_F, AT_SWITCH, ZERO_IS_SET },
	{ IB_PORT_HOQ_LIFE_F, AT_HOST | AT_SWITCH, ZERO_IS_SET },
	{ IB_PORT_PART_EN_INB_F, AT_SWITCH, ZERO_IS_SET },
	{ IB_PORT_PART_EN_OUTB_F, AT_SWITCH, ZERO_IS_SET },
	{ IB_PORT_FILTER_RAW_INB_F, AT_SWITCH, ZERO_IS_SET },
	{ IB_PORT_FILTER_RAW_OUTB_F, AT_SWITCH, ZERO_IS_SET },
};

static int where_is(const struct request *request, const struct port *port)
{
	const struct node *node = request->node;

	if (node->type != NODE_SWITCH)
		return AT_HOST;
	if (port != node->port)
		return AT_SWITCH;
	return node->topology->enhanced_port0 ? AT_PORT0 | AT_ENHANCED : AT_PORT0;
}

static void set_fields(const struct request *request, struct port *port)
{
	int where = where_is(request, port);

	for (size_t i = 0; i < sizeof(writable) / sizeof(writable[0]); i++) {
		uint32_t value = mad_get_field(request->data, 0, writable[i].field);

		if (!(writable[i].where & where) || (!value && writable[i].zero == ZERO_KEEPS) ||
		    (value && writable[i].zero == ONLY_ZERO_IS_SET))
			continue;
		mad_set_field(port->port_info, 0, writable[i].field, value);
	}
}

static void set_sma_fields(const struct request *request, struct port *port)
{
	memcpy(port->port_info + MKEY_OFFSET, request->data + MKEY_OFFSET, MKEY_BYTES);
	mad_set_field64(port->port_info, 0, IB_PORT_GID_PREFIX_F,
			mad_get_field64(request->data, 0, IB_PORT_GID_PREFIX_F));
	port->lid = (uint16_t)mad_get_field(port->port_info, 0, IB_PORT_LID_F);
	port->lmc = (uint8_t)mad_get_field(port->port_info, 0, IB_PORT_LMC_F);
}

/* 0 keeps the mask, and all ones stand for what is supported. */
static void set_enabled(const struct request *request, struct port *port, enum MAD_FIELDS enabled,
			enum MAD_FIELDS supported, uint32_t all)
{
	uint32_t mask = mad_get_field(request->data, 0, enabled);

	if (mask == all)
		mask = mad_get_field(port->port_info, 0, supported);
	if (mask)
		mad_set_field(port->port_info, 0, enabled, mask);
}

/* The link runs on as it does until it is trained the next time. */
static void set_link_masks(const struct request *request, struct port *port)
{
	uint32_t ext = mad_get_field(request->data, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F);

	set_enabled(request, port, IB_PORT_LINK_WIDTH_ENABLED_F, IB_PORT_LINK_WIDTH_SUPPORTED_F,
		    ALL_WIDTHS);
	set_enabled(request, port, IB_PORT_LINK_SPEED_ENABLED_F, IB_PORT_LINK_SPEED_SUPPORTED_F,
		    ALL_SPEEDS);
	if (!(request->modifier & MODIFIER_EXTENDED_SPEEDS))
		return;
	if (ext == NO_EXT_SPEED)
		mad_set_field(port->port_info, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F, 0);
	else
		set_enabled(request, port, IB_PORT_LINK_SPEED_EXT_ENABLED_F,
			    IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, ALL_EXT_SPEEDS);
}

/* A port that has been told to sleep wakes up when the far one polls, which is at once. */
static void set_phys_state(const struct request *request, struct port *port, uint32_t order)
{
	unsigned int number = (unsigned int)(port - request->node->port);

	port->disabled = order == ORDER_DISABLED;
	if (port->up && !port->disabled)
		link_restart(request->fabric, request->node, number);
	else
		link_refresh(request->fabric, request->node, number);
	if (!port->up)
		mad_set_field(port->port_info, 0, IB_PORT_PHYS_STATE_F, order);
}

static void set_state(const struct request *request, struct port *port)
{
	uint32_t state = mad_get_field(request->data, 0, IB_PORT_STATE_F);
	uint32_t order = mad_get_field(request->data, 0, IB_PORT_PHYS_STATE_F);
	unsigned int number = (unsigned int)(port - request->node->port);

	if (order != ORDER_NONE)
		set_phys_state(request, port, order);
	else if (state == PORT_DOWN)
		link_restart(request->fabric, request->node, number);
	else if (state)
		mad_set_field(port->port_info, 0, IB_PORT_STATE_F, state);
	/* It may have failed to come up with what was enabled before. */
	if (!port->up && order == ORDER_NONE)
		link_refresh(request->fabric, request->node, number);
}

static void obey(const struct request *request, struct port *port)
{
	set_fields(request, port);
	if (has_sma(request, port))
		set_sma_fields(request, port);
	if (has_link(request, port))
		set_link_masks(request, port);
	set_state(request, port);
}

int port_info(const struct request *request)
{
	struct port *port = named_port(request, request->modifier & ~MODIFIER_EXTENDED_SPEEDS);
	bool shows_key;

	if (!port)
		return IB_MAD_STS_INV_ATTR_VALUE;
	shows_key = is_set(request) || mkey_is_shown(request, port);
	if (is_set(request)) {
		if (!port_info_is_valid(request, port))
			return IB_MAD_STS_INV_ATTR_VALUE;
		obey(request, port);
	}
	memcpy(request->data, port->port_info, ATTRIBUTE_BYTES);
	request->data[LOCAL_PORT_OFFSET] = (uint8_t)request->port;
	if (!shows_key)
		memset(request->data + MKEY_OFFSET, 0, MKEY_BYTES);
	return 0;
}
