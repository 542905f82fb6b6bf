/* SPDX-License-Identifier: BSD-2-Clause */
#include "fabric/capability.h"

#define VENDOR_MELLANOX 0x2c9
#define VENDOR_BULL	0x119f /* sells the same silicon */

/* Switches of Mellanox that are older than FDR10. */
static bool is_old_switch(const struct topology_node *node)
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

static bool is_mellanox(const struct topology_node *node)
{
	return node->vendor_id == VENDOR_MELLANOX || node->vendor_id == VENDOR_BULL;
}

bool device_has_ext_port_info(const struct topology_node *node)
{
	return is_mellanox(node) && !is_old_switch(node);
}

bool device_maps_many_ports(const struct topology_node *node)
{
	return node->type == NODE_SWITCH && is_mellanox(node) && !is_old_switch(node);
}
