/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/sma/port_info.h"

#define MAX_UNICAST_LID 0xbfff

static uint32_t asked(const struct request *request, enum MAD_FIELDS field)
{
	return mad_get_field(request->data, 0, field);
}

static uint32_t now(struct port *port, enum MAD_FIELDS field)
{
	return mad_get_field(port->port_info, 0, field);
}

static bool is_unicast(uint32_t lid)
{
	return lid && lid <= MAX_UNICAST_LID;
}

/* All that a manager knows of where things are. */
static bool addresses_are_valid(const struct request *request)
{
	uint32_t lid = asked(request, IB_PORT_LID_F);

	return is_unicast(lid) && is_unicast(lid + (1u << asked(request, IB_PORT_LMC_F)) - 1) &&
	       is_unicast(asked(request, IB_PORT_SMLID_F));
}

static bool is_subset(const struct request *request, struct port *port, enum MAD_FIELDS enabled,
		      enum MAD_FIELDS supported, uint32_t all)
{
	uint32_t mask = asked(request, enabled);

	return mask == all || !(mask & ~now(port, supported));
}

static bool masks_are_valid(const struct request *request, struct port *port)
{
	return is_subset(request, port, IB_PORT_LINK_WIDTH_ENABLED_F,
			 IB_PORT_LINK_WIDTH_SUPPORTED_F, ALL_WIDTHS) &&
	       is_subset(request, port, IB_PORT_LINK_SPEED_ENABLED_F,
			 IB_PORT_LINK_SPEED_SUPPORTED_F, ALL_SPEEDS) &&
	       (asked(request, IB_PORT_LINK_SPEED_EXT_ENABLED_F) == NO_EXT_SPEED ||
		is_subset(request, port, IB_PORT_LINK_SPEED_EXT_ENABLED_F,
			  IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, ALL_EXT_SPEEDS));
}

/* The states that a manager may order, by the one that there is. */
static bool state_is_valid(const struct request *request, struct port *port)
{
	uint32_t is = now(port, IB_PORT_STATE_F);

	switch (asked(request, IB_PORT_STATE_F)) {
	case 0:
		return true;
	case PORT_DOWN:
		return has_link(request, port);
	case PORT_ARMED:
		return is == PORT_INIT || is == PORT_ARMED;
	case PORT_ACTIVE:
		return is == PORT_ARMED || is == PORT_ACTIVE;
	default:
		return false;
	}
}

/* The physical state is ordered of a port that is to go down, and of no other. */
static bool phys_state_is_valid(const struct request *request, const struct port *port)
{
	uint32_t order = asked(request, IB_PORT_PHYS_STATE_F);

	if (order == ORDER_NONE)
		return true;
	return has_link(request, port) && order <= ORDER_DISABLED &&
	       asked(request, IB_PORT_STATE_F) <= PORT_DOWN;
}

static bool link_is_valid(const struct request *request, struct port *port)
{
	uint32_t mtu = asked(request, IB_PORT_NEIGHBOR_MTU_F);

	return mtu && mtu <= now(port, IB_PORT_MTU_CAP_F) &&
	       asked(request, IB_PORT_OPER_VLS_F) <= now(port, IB_PORT_VL_CAP_F) &&
	       asked(request, IB_PORT_LINK_DOWN_DEF_F) <= ORDER_POLLING &&
	       masks_are_valid(request, port);
}

bool port_info_is_valid(const struct request *request, struct port *port)
{
	/* A CA or router lets itself be configured at the port that is asked. */
	if (request->node->type != NODE_SWITCH && port != &request->node->port[request->port])
		return false;
	if (has_sma(request, port) && !addresses_are_valid(request))
		return false;
	if (has_link(request, port) && !link_is_valid(request, port))
		return false;
	return state_is_valid(request, port) && phys_state_is_valid(request, port);
}
