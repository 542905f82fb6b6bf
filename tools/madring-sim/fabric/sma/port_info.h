/* SPDX-License-Identifier: BSD-2-Clause */
/* PortInfo's two parts: which Sets are allowed, and what an allowed one does. */
#ifndef SIM_PORT_INFO_H
#define SIM_PORT_INFO_H

#include "fabric/sma/attribute.h"

#define ALL_WIDTHS     0xff /* these stand for all that is supported */
#define ALL_SPEEDS     0xf
#define ALL_EXT_SPEEDS 0x1f
#define NO_EXT_SPEED   0x1e

/* What a manager may order as PortPhysicalState, and some of it as LinkDownDefaultState. */
enum phys_order { ORDER_NONE = 0, ORDER_SLEEP = 1, ORDER_POLLING = 2, ORDER_DISABLED = 3 };

/* Where the SMA is: a CA's or router's port, a switch's port 0. */
static inline bool has_sma(const struct request *request, const struct port *port)
{
	return port == lid_port(request->node, (unsigned int)(port - request->node->port));
}

/* Whether it has a link: port 0 has none. */
static inline bool has_link(const struct request *request, const struct port *port)
{
	return port != request->node->port;
}

/* IBA 14.2.5.6. */
bool port_info_is_valid(const struct request *request, struct port *port);

#endif
