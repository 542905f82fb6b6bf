/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PortInfo, whose Set is obeyed in full or not at all, PortInfoExtended, and Mellanox'
 * ExtendedPortInfo.
 */
#include <string.h>

#include "fabric/capability.h"
#include "fabric/ext_speed.h"
#include "fabric/link_state.h"
#include "fabric/sma/mkey.h"

#define ALL_WIDTHS     0xff /* these stand for all that is supported */
#define ALL_SPEEDS     0xf
#define ALL_EXT_SPEEDS 0x1f
#define NO_EXT_SPEED   0x1e
#define ALL_EXT2       0x7 /* of the second set, which starts at EXT_SPEED2_SHIFT */

/* The orders of PortPhysicalState, some of which LinkDownDefaultState takes, too. */
enum phys_order { ORDER_NONE = 0, ORDER_SLEEP = 1, ORDER_POLLING = 2, ORDER_DISABLED = 3 };

/* has_sma tells whether a port has an SMA: a CA's or router's port, and a switch's port 0. */
static bool has_sma(const struct request *request, const struct port *port)
{
	return port == lid_port(request->node, (unsigned int)(port - request->node->port));
}

/* has_link tells whether a port has a link: port 0 has none. */
static bool has_link(const struct request *request, const struct port *port)
{
	return port != request->node->port;
}

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

/* addresses_are_valid tells whether the LIDs of a Set are unicast LIDs. */
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

/* second_set returns the extended speeds of the second set that a mask of PortInfo has. */
static uint8_t second_set(const uint8_t *port_info, enum ext_speed_mask mask)
{
	return ext_speed_get(port_info, mask) >> EXT_SPEED2_SHIFT;
}

static bool masks_are_valid(const struct request *request, struct port *port)
{
	uint8_t second = second_set(request->data, EXT_SPEED_ENABLED);

	return is_subset(request, port, IB_PORT_LINK_WIDTH_ENABLED_F,
			 IB_PORT_LINK_WIDTH_SUPPORTED_F, ALL_WIDTHS) &&
	       is_subset(request, port, IB_PORT_LINK_SPEED_ENABLED_F,
			 IB_PORT_LINK_SPEED_SUPPORTED_F, ALL_SPEEDS) &&
	       (asked(request, IB_PORT_LINK_SPEED_EXT_ENABLED_F) == NO_EXT_SPEED ||
		is_subset(request, port, IB_PORT_LINK_SPEED_EXT_ENABLED_F,
			  IB_PORT_LINK_SPEED_EXT_SUPPORTED_F, ALL_EXT_SPEEDS)) &&
	       (second == ALL_EXT2 ||
		!(second & ~second_set(port->port_info, EXT_SPEED_SUPPORTED)));
}

/* state_is_valid tells which states a manager may set from the present one. */
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

/*
 * phys_state_is_valid tells whether a manager may set the physical state: only of a port that is to
 * go down.
 */
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

/* port_info_is_valid tells whether a Set may be obeyed (IBA 14.2.5.6). */
static bool port_info_is_valid(const struct request *request, struct port *port)
{
	/* A CA or router takes Sets only for the port that the SMP came in by. */
	if (request->node->type != NODE_SWITCH && port != &request->node->port[request->port])
		return false;
	if (has_sma(request, port) && !addresses_are_valid(request))
		return false;
	if (has_link(request, port) && !link_is_valid(request, port))
		return false;
	return state_is_valid(request, port) && phys_state_is_valid(request, port);
}

#define MODIFIER_EXTENDED_SPEEDS 0x80000000u /* the manager knows them; the rest is the port */

/* The offsets of the fields that depend on the request. */
#define MKEY_OFFSET	  0
#define MKEY_BYTES	  8
#define LOCAL_PORT_OFFSET 28

/* The ports at which a field has a meaning. */
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

/* set_enabled sets a mask. 0 keeps it, and all ones stand for what is supported. */
static void set_enabled(const struct request *request, struct port *port, enum MAD_FIELDS enabled,
			enum MAD_FIELDS supported, uint32_t all)
{
	uint32_t mask = mad_get_field(request->data, 0, enabled);

	if (mask == all)
		mask = mad_get_field(port->port_info, 0, supported);
	if (mask)
		mad_set_field(port->port_info, 0, enabled, mask);
}

/* set_second_set sets the mask of the second set of extended speeds, as set_enabled does. */
static void set_second_set(const struct request *request, struct port *port)
{
	uint8_t mask = second_set(request->data, EXT_SPEED_ENABLED);
	uint8_t first = ext_speed_get(port->port_info, EXT_SPEED_ENABLED) & ALL_EXT_SPEEDS;

	if (mask == ALL_EXT2)
		mask = second_set(port->port_info, EXT_SPEED_SUPPORTED);
	if (mask)
		ext_speed_set(port->port_info, EXT_SPEED_ENABLED,
			      (uint8_t)(mask << EXT_SPEED2_SHIFT | first));
}

/* set_link_masks sets the masks, which take effect when the link is trained the next time. */
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
	set_second_set(request, port);
}

/*
 * set_phys_state obeys an order. A port that has been told to sleep wakes up when the far one
 * polls, which is at once.
 */
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
	/* The link may have failed to come up with what was enabled before. */
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

/*
 * PortInfoExtended: the forward error correction of fast links. libibmad has the fields of HDR and
 * NDR in each other's place, so they are written here as IBA has them.
 */
#define IS_FEC_MODE_SUPPORTED 1 /* in its own CapabilityMask */

#define SPEED_FDR 1 /* LinkSpeedExtActive */

/* The offsets of the modes that a speed supports; the modes that are enabled follow them. */
enum offset {
	SUPPORTED_BY_FDR = 6,
	SUPPORTED_BY_EDR = 10,
	SUPPORTED_BY_HDR = 14,
	SUPPORTED_BY_NDR = 18
};
#define ENABLED_BEHIND 3 /* with the lower byte of each, all that is used */

enum fec_mode { NO_FEC = 0, FIRE_CODE = 1, REED_SOLOMON = 2 };

/* The speeds and their modes. Each speed has one mode, so that there is nothing to choose. */
static const struct {
	enum offset offset;
	uint8_t modes;
} speeds[] = {
	{ SUPPORTED_BY_FDR, 1 << FIRE_CODE },
	{ SUPPORTED_BY_EDR, 1 << REED_SOLOMON },
	{ SUPPORTED_BY_HDR, 1 << REED_SOLOMON },
	{ SUPPORTED_BY_NDR, 1 << REED_SOLOMON },
};

static enum fec_mode active_mode(struct port *port)
{
	uint8_t speed = ext_speed_get(port->port_info, EXT_SPEED_ACTIVE);

	if (!speed)
		return NO_FEC;
	return speed == SPEED_FDR ? FIRE_CODE : REED_SOLOMON;
}

/* is_valid tells whether a Set may be obeyed. An empty mask keeps what is enabled. */
static bool is_valid(const uint8_t *data)
{
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		const uint8_t *enabled = data + speeds[i].offset + ENABLED_BEHIND - 1;

		if (enabled[0] || enabled[1] & ~speeds[i].modes)
			return false;
	}
	return true;
}

int port_info_extended(const struct request *request)
{
	struct port *port = named_port(request, request->modifier);
	uint8_t *data = request->data;

	if (!port || (is_set(request) && !is_valid(data)))
		return IB_MAD_STS_INV_ATTR_VALUE;
	memset(data, 0, ATTRIBUTE_BYTES);
	mad_set_field(data, 0, IB_PORT_EXT_CAPMASK_F, IS_FEC_MODE_SUPPORTED);
	mad_set_field(data, 0, IB_PORT_EXT_FEC_MODE_ACTIVE_F, active_mode(port));
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		data[speeds[i].offset + 1] = speeds[i].modes;
		data[speeds[i].offset + ENABLED_BEHIND] = speeds[i].modes;
	}
	return 0;
}

#define FDR10 1

/*
 * mlnx_ext_port_info answers for Mellanox' ExtendedPortInfo, which tells FDR10 from QDR, and allows
 * or forbids it.
 */
int mlnx_ext_port_info(const struct request *request)
{
	const struct topology_node *topology = request->node->topology;
	struct port *port = named_port(request, request->modifier);
	uint8_t *data = request->data;
	bool can;

	if (!device_has_ext_port_info(topology))
		return IB_MAD_STS_METHOD_ATTR_NOT_SUPPORTED;
	if (!port)
		return IB_MAD_STS_INV_ATTR_VALUE;
	can = topology->port[port - request->node->port].fdr10_enabled;
	if (is_set(request) && mad_get_field(data, 0, IB_MLNX_EXT_PORT_STATE_CHG_ENABLE_F)) {
		uint32_t enable = mad_get_field(data, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F);

		if (enable > can)
			return IB_MAD_STS_INV_ATTR_VALUE;
		port->fdr10_enabled = enable == FDR10;
	}
	memset(data, 0, ATTRIBUTE_BYTES);
	mad_set_field(data, 0, IB_MLNX_EXT_PORT_LINK_SPEED_SUPPORTED_F, can);
	mad_set_field(data, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ENABLED_F, port->fdr10_enabled);
	mad_set_field(data, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, port->fdr10);
	return 0;
}
