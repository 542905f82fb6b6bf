/* SPDX-License-Identifier: BSD-2-Clause */
/* The capabilities of ports and devices. */
#ifndef SIM_CAPABILITY_H
#define SIM_CAPABILITY_H

#include "topology/topology.h"

/* The bits of PortInfo's CapabilityMask and CapabilityMask2 that the model knows. */
#define CAP_SM		     (1 << 1)
#define CAP_TRAP	     (1 << 3)
#define CAP_SL_MAPPING	     (1 << 6)
#define CAP_SM_DISABLED	     (1 << 10)
#define CAP_EXTENDED_SPEEDS  (1 << 14)
#define CAP_CAPABILITY_MASK2 (1 << 15)
#define CAP_CAPABILITY_TRAP  (1 << 22)

#define CAP2_PORT_INFO_EXTENDED (1 << 1)
#define CAP2_WIDTH_2X		(1 << 4)
#define CAP2_SPEED_HDR		(1 << 5)
#define CAP2_SPEED_NDR		(1 << 10)
#define CAP2_EXTENDED_SPEEDS2	(1 << 11)
#define CAP2_SPEED_XDR		(1 << 12)

#define VENDOR_MELLANOX 0x2c9
#define VENDOR_BULL	0x119f /* sells the same silicon */

/* is_old_switch tells whether a switch of Mellanox is older than FDR10. */
static inline bool is_old_switch(const struct topology_node *node)
{
	switch (node->device_id) {
	case 0xa87c: /* Anafa 2 */
	case 0xb924: /* InfiniScale III */
	case 0xbd34: /* InfiniScale IV */
	case 0xbd35:
	case 0xbd36:
		return true;
	default:
		return false;
	}
}

static inline bool is_mellanox(const struct topology_node *node)
{
	return node->vendor_id == VENDOR_MELLANOX || node->vendor_id == VENDOR_BULL;
}

/* node_has_xdr tells whether any port of a node can be at XDR. All its ports support it then. */
static inline bool node_has_xdr(const struct topology_node *node)
{
	for (unsigned int i = 1; i <= node->port_count; i++)
		if (node->port[i].speed_ext_enabled & TOPOLOGY_SPEED_XDR)
			return true;
	return false;
}

/* device_has_ext_port_info tells whether a device has Mellanox' ExtendedPortInfo. */
static inline bool device_has_ext_port_info(const struct topology_node *node)
{
	return is_mellanox(node) && !is_old_switch(node);
}

/*
 * device_maps_many_ports tells whether one Set of a switch's SLtoVL table may be for many of its
 * ports.
 */
static inline bool device_maps_many_ports(const struct topology_node *node)
{
	return node->type == NODE_SWITCH && is_mellanox(node) && !is_old_switch(node);
}

#endif
