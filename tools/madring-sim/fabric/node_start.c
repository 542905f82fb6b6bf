/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "fabric/capability.h"
#include "fabric/ext_speed.h"
#include "fabric/link_state.h"
#include "fabric/node_start.h"
#include "fabric/notice.h"
#include "fabric/port_tables.h"

#define REVISION	   0xa1
#define DEFAULT_GID_PREFIX 0xfe80000000000000

#define ALL_WIDTHS     31
#define ALL_SPEEDS     7
#define ALL_EXT_SPEEDS 15
#define MTU_2048       4
#define MTU_256	       1
#define VLS_0_TO_7     4
#define HOQ_LIFE       16 /* 4.096 us times 2^16 */
#define SUBNET_TIMEOUT 18 /* counted the same way */

static void set_node_info(struct node *node)
{
	const struct topology_node *topology = node->topology;
	uint8_t *info = node->node_info;

	mad_set_field(info, 0, IB_NODE_BASE_VERS_F, 1);
	mad_set_field(info, 0, IB_NODE_CLASS_VERS_F, 1);
	mad_set_field(info, 0, IB_NODE_TYPE_F, node->type);
	mad_set_field(info, 0, IB_NODE_NPORTS_F, node->port_count);
	mad_set_field64(info, 0, IB_NODE_SYSTEM_GUID_F, topology->system_guid);
	mad_set_field64(info, 0, IB_NODE_GUID_F, topology->node_guid);
	mad_set_field(info, 0, IB_NODE_PARTITION_CAP_F,
		      node->type == NODE_SWITCH ? PKEY_CAP_SWITCH : PKEY_CAP_CA);
	mad_set_field(info, 0, IB_NODE_DEVID_F, topology->device_id);
	mad_set_field(info, 0, IB_NODE_REVISION_F, REVISION);
	mad_set_field(info, 0, IB_NODE_VENDORID_F, topology->vendor_id);
}

static bool any_link(const struct topology_node *node)
{
	for (unsigned int i = 1; i <= node->port_count; i++)
		if (node->port[i].peer)
			return true;
	return false;
}

static void set_switch_info(struct node *node)
{
	uint8_t *info = node->switch_info;

	mad_set_field(info, 0, IB_SW_LINEAR_FDB_CAP_F, LINEAR_FDB_CAP);
	mad_set_field(info, 0, IB_SW_MCAST_FDB_CAP_F, MULTICAST_FDB_CAP);
	mad_set_field(info, 0, IB_SW_STATE_CHANGE_F, any_link(node->topology));
	mad_set_field(info, 0, IB_SW_OPT_SLTOVL_MAPPING_F, device_maps_many_ports(node->topology));
	mad_set_field(info, 0, IB_SW_PARTITION_ENFORCE_CAP_F, PKEY_CAP_SWITCH_PORT);
	mad_set_field(info, 0, IB_SW_FILTER_RAW_INB_F, 1);
	mad_set_field(info, 0, IB_SW_FILTER_RAW_OUTB_F, 1);
	mad_set_field(info, 0, IB_SW_ENHANCED_PORT0_F, node->topology->enhanced_port0);
}

/*
 * set_sma_port sets the fields that only ports with an SMA have: a CA's or router's port, and a
 * switch's port 0.
 */
static void set_sma_port(const struct node *node, uint8_t *info)
{
	bool on_switch = node->type == NODE_SWITCH;

	mad_set_field64(info, 0, IB_PORT_GID_PREFIX_F, DEFAULT_GID_PREFIX);
	mad_set_field(info, 0, IB_PORT_CAPMASK_F,
		      CAP_TRAP | CAP_SL_MAPPING | CAP_EXTENDED_SPEEDS | CAP_CAPABILITY_MASK2 |
			      (on_switch ? 0 : CAP_CAPABILITY_TRAP));
	mad_set_field(info, 0, IB_PORT_CAPMASK2_F,
		      CAP2_PORT_INFO_EXTENDED | CAP2_WIDTH_2X | CAP2_SPEED_HDR | CAP2_SPEED_NDR |
			      (node_has_xdr(node->topology) ? CAP2_EXTENDED_SPEEDS2 | CAP2_SPEED_XDR
							    : 0));
	mad_set_field(info, 0, IB_PORT_GUID_CAP_F, on_switch ? GUID_CAP_SWITCH : GUID_CAP_CA);
	mad_set_field(info, 0, IB_PORT_SUBN_TIMEOUT_F, SUBNET_TIMEOUT);
}

static void set_link(const struct topology_node *node, const struct topology_port *port, bool up,
		     uint8_t *info)
{
	uint8_t xdr = node_has_xdr(node) ? TOPOLOGY_SPEED_XDR : 0;

	mad_set_field(info, 0, IB_PORT_LINK_WIDTH_ENABLED_F, port->width_enabled);
	mad_set_field(info, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F, ALL_WIDTHS);
	mad_set_field(info, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, up ? port->width : 2);
	mad_set_field(info, 0, IB_PORT_LINK_SPEED_ENABLED_F, port->speed_enabled);
	mad_set_field(info, 0, IB_PORT_LINK_SPEED_SUPPORTED_F, ALL_SPEEDS);
	mad_set_field(info, 0, IB_PORT_LINK_SPEED_ACTIVE_F, up ? port->speed : 1);
	if (!port->speed_ext)
		return;
	ext_speed_set(info, EXT_SPEED_ENABLED, port->speed_ext_enabled);
	ext_speed_set(info, EXT_SPEED_SUPPORTED, ALL_EXT_SPEEDS | xdr);
	ext_speed_set(info, EXT_SPEED_ACTIVE, port->speed_ext);
}

/* Writes the PortInfo that a port has when the fabric starts. */
static void set_port_info(const struct node *node, unsigned int number)
{
	const struct topology_port *topology = &node->topology->port[number];
	uint8_t *info = node->port[number].port_info;
	bool port0 = number == 0;
	bool up = port0 || topology->peer;

	if (port0 || node->type != NODE_SWITCH)
		set_sma_port(node, info);
	set_link(node->topology, topology, topology->peer != NULL, info);
	mad_set_field(info, 0, IB_PORT_LID_F, topology->lid);
	mad_set_field(info, 0, IB_PORT_LMC_F, topology->lmc);
	mad_set_field(info, 0, IB_PORT_STATE_F, port0 ? PORT_ACTIVE : up ? PORT_INIT : PORT_DOWN);
	mad_set_field(info, 0, IB_PORT_PHYS_STATE_F, up ? PHYS_LINK_UP : PHYS_POLLING);
	mad_set_field(info, 0, IB_PORT_LINK_DOWN_DEF_F, PHYS_POLLING);
	mad_set_field(info, 0, IB_PORT_NEIGHBOR_MTU_F, up ? MTU_2048 : MTU_256);
	mad_set_field(info, 0, IB_PORT_MTU_CAP_F, MTU_2048);
	mad_set_field(info, 0, IB_PORT_VL_CAP_F, VLS_0_TO_7);
	mad_set_field(info, 0, IB_PORT_OPER_VLS_F, VLS_0_TO_7);
	mad_set_field(info, 0, IB_PORT_VL_ARBITRATION_HIGH_CAP_F, VL_ARBITRATION_CAP);
	mad_set_field(info, 0, IB_PORT_VL_ARBITRATION_LOW_CAP_F, VL_ARBITRATION_CAP);
	mad_set_field(info, 0, IB_PORT_HOQ_LIFE_F, HOQ_LIFE);
	mad_set_field(info, 0, IB_PORT_RESP_TIME_VAL_F, 8);
}

static void set_up_port(struct node *nodes, struct node *node, unsigned int number)
{
	const struct topology_port *topology = &node->topology->port[number];

	node->port[number] = (struct port){
		.peer = topology->peer ? &nodes[topology->peer->index] : NULL,
		.peer_port = topology->peer_port,
		.lid = topology->lid,
		.lmc = topology->lmc,
		.up = topology->peer != NULL,
		.endpoint = -1,
		.guid = topology->guid,
		.ready_at = FABRIC_NEVER,
		.lease_end = FABRIC_NEVER,
		.fdr10 = topology->fdr10,
		.fdr10_enabled = topology->fdr10_enabled,
	};
	/* Port 0 of a CA or router does not exist. */
	if (number || node->type == NODE_SWITCH)
		set_port_info(node, number);
}

static void set_up_node(struct node *nodes, struct node *node, struct port *ports,
			const struct topology_node *topology)
{
	*node = (struct node){
		.topology = topology,
		.type = topology->type,
		.port_count = topology->port_count,
		.port = ports,
		.service = FABRIC_AS_MODEL,
	};
	memcpy(node->description, topology->description,
	       strnlen(topology->description, ATTRIBUTE_BYTES));
	set_node_info(node);
	if (node->type == NODE_SWITCH)
		set_switch_info(node);
	for (unsigned int number = 0; number <= node->port_count; number++)
		set_up_port(nodes, node, number);
}

void node_setup(struct node *nodes, struct port *ports, const struct topology *topology)
{
	for (size_t i = 0; i < topology->node_count; i++) {
		set_up_node(nodes, &nodes[i], ports, topology->nodes[i]);
		ports += topology->nodes[i]->port_count + 1;
	}
}

static void free_tables(struct node *node)
{
	free(node->lft);
	free(node->mft);
	node->lft = NULL;
	node->mft = NULL;
	node->lft_size = 0;
	node->mft_size = 0;
	for (unsigned int number = 0; number <= node->port_count; number++)
		port_tables_free(&node->port[number]);
}

/* Resets a port as a power cycle does: it keeps no LID, and its link trains again. */
static void restart_port(struct node *node, unsigned int number)
{
	struct port *port = &node->port[number];
	uint32_t manager = mad_get_field(port->port_info, 0, IB_PORT_CAPMASK_F) & CAP_SM;

	port->lid = 0;
	port->lmc = 0;
	port->disabled = false;
	port->queued = 0;
	port->lease_end = FABRIC_NEVER;
	port->fdr10_enabled = node->topology->port[number].fdr10_enabled;
	notice_forget(port);
	if (!number && node->type != NODE_SWITCH)
		return;
	memset(port->port_info, 0, sizeof(port->port_info));
	set_port_info(node, number);
	mad_set_field(port->port_info, 0, IB_PORT_CAPMASK_F,
		      mad_get_field(port->port_info, 0, IB_PORT_CAPMASK_F) | manager);
	mad_set_field(port->port_info, 0, IB_PORT_LID_F, 0);
	mad_set_field(port->port_info, 0, IB_PORT_LMC_F, 0);
	if (!number)
		return;
	mad_set_field(port->port_info, 0, IB_PORT_STATE_F, PORT_DOWN);
	mad_set_field(port->port_info, 0, IB_PORT_PHYS_STATE_F, PHYS_POLLING);
	link_untrain(port);
}

void node_restart(struct node *node)
{
	free_tables(node);
	node->starts++;
	node->agent.free_at = 0;
	node->smi.free_at = 0;
	node->lft_top = 0;
	memset(node->switch_info, 0, sizeof(node->switch_info));
	if (node->type == NODE_SWITCH)
		set_switch_info(node);
	for (unsigned int number = 0; number <= node->port_count; number++)
		restart_port(node, number);
}

void node_free(struct node *node)
{
	free_tables(node);
	for (unsigned int number = 0; number <= node->port_count; number++) {
		free(node->port[number].notices);
		free(node->port[number].counters);
	}
	free(node->samples);
	free(node->dropped);
}
