/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds for a port by its own PortInfo and by that of its switch's port 0. */

#include "graph.h"

/* Returns the port whose PortInfo holds for all ports of a switch, or else the port itself. */
static const struct port *port_that_answers(const struct port *port)
{
	return port->node->public.type == MADRING_NODE_SWITCH ? &port->node->port[0] : port;
}

uint16_t port_lid(const struct port *port)
{
	return port_that_answers(port)->info.lid;
}

static bool has_extended_speeds(const struct port *port)
{
	return port_that_answers(port)->public.capability_mask & PORT_EXTENDED_SPEEDS;
}

bool port_has_speeds2(const struct port *port)
{
	const struct madring_node_port *info = &port_that_answers(port)->public;

	return has_extended_speeds(port) && info->capability_mask & PORT_CAPABILITY_MASK2 &&
	       info->capability_mask2 & PORT_EXTENDED_SPEEDS2;
}

uint8_t port_speed_ext(const struct port *port)
{
	if (port_has_speeds2(port) && port->info.speed_ext2)
		return port->info.speed_ext2;
	return has_extended_speeds(port) ? port->info.speed_ext : 0;
}

uint8_t port_speed_ext_supported(const struct port *port)
{
	uint8_t speeds = has_extended_speeds(port) ? port->info.speed_ext_supported : 0;

	return port_has_speeds2(port) ? speeds | port->info.speed_ext2_supported : speeds;
}

void port_combine(struct port *port)
{
	port->public.lid = port_lid(port);
	port->public.speed_ext = port_speed_ext(port);
	port->public.speed_ext_supported = port_speed_ext_supported(port);
}
