/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PortInfoExtended: the forward error correction of fast links. libibmad has the fields of HDR
 * and NDR in each other's place, so they are written here as IBA has them.
 */
#include <string.h>

#include "fabric/sma/attribute.h"

#define IS_FEC_MODE_SUPPORTED 1 /* in its own CapabilityMask */

#define SPEED_FDR 1 /* LinkSpeedExtActive */

/* Where the modes that a speed supports stand in the attribute; those enabled are behind them. */
enum offset {
	SUPPORTED_BY_FDR = 6,
	SUPPORTED_BY_EDR = 10,
	SUPPORTED_BY_HDR = 14,
	SUPPORTED_BY_NDR = 18
};
#define ENABLED_BEHIND 3 /* with the lower byte of each, all that is used */

enum fec_mode { NO_FEC = 0, FIRE_CODE = 1, REED_SOLOMON = 2 };

/* Each speed has one mode, so that there is nothing to choose. */
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
	uint32_t speed = mad_get_field(port->port_info, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F);

	if (!speed)
		return NO_FEC;
	return speed == SPEED_FDR ? FIRE_CODE : REED_SOLOMON;
}

/* None keeps what is enabled. */
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
