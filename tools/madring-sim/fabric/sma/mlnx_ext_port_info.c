/* SPDX-License-Identifier: BSD-2-Clause */
/* Mellanox' ExtendedPortInfo, by which tools tell FDR10 from QDR, and allow or forbid it. */
#include <string.h>

#include "fabric/sma/attribute.h"
#include "fabric/sma/abilities.h"

#define FDR10 1

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
