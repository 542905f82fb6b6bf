/* SPDX-License-Identifier: BSD-2-Clause */
/* What ports and devices are able to do. */
#ifndef SIM_CAPABILITY_H
#define SIM_CAPABILITY_H

#include "topology/topology.h"

/* The bits of PortInfo's CapabilityMask and CapabilityMask2 that the model knows. */
#define CAP_SM		     (1 << 1)
#define CAP_TRAP	     (1 << 3)
#define CAP_SL_MAPPING	     (1 << 6)
#define CAP_EXTENDED_SPEEDS  (1 << 14)
#define CAP_CAPABILITY_MASK2 (1 << 15)
#define CAP_CAPABILITY_TRAP  (1 << 22)

#define CAP2_PORT_INFO_EXTENDED (1 << 1)
#define CAP2_WIDTH_2X		(1 << 4)
#define CAP2_SPEED_HDR		(1 << 5)
#define CAP2_SPEED_NDR		(1 << 10)

/* Whether a device has Mellanox' ExtendedPortInfo. */
bool device_has_ext_port_info(const struct topology_node *node);

/* Whether one Set of a switch's SLtoVL table may be for many of its ports. */
bool device_maps_many_ports(const struct topology_node *node);

#endif
