/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PortInfo. A Set stores what a subnet manager configures, and moves PortState; it does not
 * train a link anew with other widths or speeds, nor does it know M_Keys.
 */
#include <string.h>

#include <infiniband/mad.h>

#include "../link_state.h"
#include "../smp.h"
#include "attribute.h"

#define MODIFIER_EXTENDED_SPEEDS 0x80000000u /* the manager knows them; the rest is the port */

#define LOCAL_PORT_OFFSET 28 /* what differs from asker to asker */
#define MAX_UNICAST_LID	  0xbfff
#define ALL_WIDTHS	  0xff
#define ALL_SPEEDS	  0xf

static const struct writable {
	enum MAD_FIELDS field;
	bool zero_keeps;
} writable[] = {
	{ IB_PORT_SMLID_F, false },	      { IB_PORT_SMSL_F, false },
	{ IB_PORT_VL_HIGH_LIMIT_F, false },   { IB_PORT_VL_STALL_COUNT_F, false },
	{ IB_PORT_HOQ_LIFE_F, false },	      { IB_PORT_PART_EN_INB_F, false },
	{ IB_PORT_PART_EN_OUTB_F, false },    { IB_PORT_FILTER_RAW_INB_F, false },
	{ IB_PORT_FILTER_RAW_OUTB_F, false }, { IB_PORT_SUBN_TIMEOUT_F, false },
	{ IB_PORT_LOCAL_PHYS_ERR_F, false },  { IB_PORT_OVERRUN_ERR_F, false },
	{ IB_PORT_NEIGHBOR_MTU_F, true },     { IB_PORT_OPER_VLS_F, true },
	{ IB_PORT_LINK_DOWN_DEF_F, true },
};

static bool is_port0(const struct request *request, const struct port *port)
{
	return port == request->node->port;
}

/* Whether the SMA is at this port, which then has LIDs. */
static bool has_lids(const struct request *request, const struct port *port)
{
	return is_port0(request, port) || request->node->type != NODE_SWITCH;
}

/* The states that a manager may order, by the one that there is. */
static bool may_become(const struct request *request, struct port *port)
{
	uint32_t is = mad_get_field(port->port_info, 0, IB_PORT_STATE_F);

	switch (mad_get_field(request->data, 0, IB_PORT_STATE_F)) {
	case 0:
		return true;
	case PORT_DOWN:
		return !is_port0(request, port);
	case PORT_ARMED:
		return is == PORT_INIT || is == PORT_ARMED;
	case PORT_ACTIVE:
		return is == PORT_ARMED || is == PORT_ACTIVE;
	default:
		return false;
	}
}

static bool is_valid(const struct request *request, struct port *port)
{
	uint8_t *data = request->data;

	/* A CA or router lets itself be configured at the port that is asked. */
	if (request->node->type != NODE_SWITCH && port != &request->node->port[request->port])
		return false;
	if (mad_get_field64(data, 0, IB_PORT_MKEY_F))
		return false;
	if (has_lids(request, port) && mad_get_field(data, 0, IB_PORT_LID_F) > MAX_UNICAST_LID)
		return false;
	if (mad_get_field(data, 0, IB_PORT_OPER_VLS_F) >
	    mad_get_field(port->port_info, 0, IB_PORT_VL_CAP_F))
		return false;
	if (mad_get_field(data, 0, IB_PORT_NEIGHBOR_MTU_F) >
	    mad_get_field(port->port_info, 0, IB_PORT_MTU_CAP_F))
		return false;
	return may_become(request, port);
}

static void set_state(const struct request *request, struct port *port)
{
	uint32_t state = mad_get_field(request->data, 0, IB_PORT_STATE_F);

	if (state > PORT_DOWN)
		mad_set_field(port->port_info, 0, IB_PORT_STATE_F, state);
	else if (state == PORT_DOWN)
		link_restart(request->fabric, request->node,
			     (unsigned int)(port - request->node->port));
}

static void set_lids(const struct request *request, struct port *port)
{
	port->lid = (uint16_t)mad_get_field(request->data, 0, IB_PORT_LID_F);
	port->lmc = (uint8_t)mad_get_field(request->data, 0, IB_PORT_LMC_F);
	mad_set_field(port->port_info, 0, IB_PORT_LID_F, port->lid);
	mad_set_field(port->port_info, 0, IB_PORT_LMC_F, port->lmc);
	mad_set_field64(port->port_info, 0, IB_PORT_GID_PREFIX_F,
			mad_get_field64(request->data, 0, IB_PORT_GID_PREFIX_F));
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

static void obey(const struct request *request, struct port *port)
{
	size_t i;

	for (i = 0; i < sizeof(writable) / sizeof(writable[0]); i++) {
		uint32_t value = mad_get_field(request->data, 0, writable[i].field);

		if (value || !writable[i].zero_keeps)
			mad_set_field(port->port_info, 0, writable[i].field, value);
	}
	set_enabled(request, port, IB_PORT_LINK_WIDTH_ENABLED_F, IB_PORT_LINK_WIDTH_SUPPORTED_F,
		    ALL_WIDTHS);
	set_enabled(request, port, IB_PORT_LINK_SPEED_ENABLED_F, IB_PORT_LINK_SPEED_SUPPORTED_F,
		    ALL_SPEEDS);
	if (has_lids(request, port))
		set_lids(request, port);
	set_state(request, port);
}

int port_info(const struct request *request)
{
	struct port *port = named_port(request, request->modifier & ~MODIFIER_EXTENDED_SPEEDS);

	if (!port)
		return IB_MAD_STS_INV_ATTR_VALUE;
	if (request->method == IB_MAD_METHOD_SET) {
		if (!is_valid(request, port))
			return IB_MAD_STS_INV_ATTR_VALUE;
		obey(request, port);
	}
	memcpy(request->data, port->port_info, ATTRIBUTE_BYTES);
	request->data[LOCAL_PORT_OFFSET] = (uint8_t)request->port;
	return 0;
}
