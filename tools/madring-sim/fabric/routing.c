/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "fabric/inside.h"
#include "fabric/lft_spread.h"
#include "fabric/routing.h"

#define MAX_UNICAST_LID 0xbfff
#define LFT_BLOCK	64

#define SUBNET_TIMEOUT 18 /* 4.096 us times 2^18 */
#define LIFE_TIME      18 /* the same, of a packet in a switch, and before one's exit */
#define HOST_LIFE_TIME 16 /* before an exit to a host */
#define STALL_COUNT    7
#define ERROR_LIMIT    8 /* errors of a link in a while until they count */

struct routing {
	struct fabric *fabric;
	bool *reached; /* by the node's index: the switches of the subnet */
	struct node **switches;
	size_t switch_count;
	bool lid_taken[MAX_UNICAST_LID + 1];
	uint16_t next_lid, top_lid, manager_lid;
};

typedef int (*visit_fn)(struct routing *routing, struct node *node, unsigned int number);

static bool is_up(const struct port *port)
{
	return port->up && port->peer->health == FABRIC_WELL;
}

static void reach(struct routing *routing, struct node *node)
{
	size_t index = (size_t)(node - routing->fabric->nodes);

	if (node->type != NODE_SWITCH || routing->reached[index])
		return;
	routing->reached[index] = true;
	routing->switches[routing->switch_count++] = node;
}

static void reach_all(struct routing *routing, const struct place *manager)
{
	struct port *port = &manager->node->port[manager->port];

	if (manager->node->type == NODE_SWITCH)
		reach(routing, manager->node);
	else if (is_up(port))
		reach(routing, port->peer);
	for (size_t i = 0; i < routing->switch_count; i++) {
		struct node *node = routing->switches[i];

		for (unsigned int number = 1; number <= node->port_count; number++)
			if (is_up(&node->port[number]))
				reach(routing, node->port[number].peer);
	}
}

/* Calls back for every port of the subnet that has LIDs, switches' port 0 among them. */
static int for_each_port(struct routing *routing, const struct place *manager, visit_fn visit)
{
	struct port *port = &manager->node->port[manager->port];
	int error = 0;

	if (manager->node->type != NODE_SWITCH)
		error = visit(routing, manager->node, manager->port);
	if (!error && manager->port && is_up(port) && port->peer->type != NODE_SWITCH)
		error = visit(routing, port->peer, port->peer_port);
	for (size_t i = 0; !error && i < routing->switch_count; i++) {
		struct node *node = routing->switches[i];

		error = visit(routing, node, 0);
		for (unsigned int number = 1; !error && number <= node->port_count; number++) {
			port = &node->port[number];
			if (is_up(port) && port->peer->type != NODE_SWITCH &&
			    &port->peer->port[port->peer_port] !=
				    &manager->node->port[manager->port])
				error = visit(routing, port->peer, port->peer_port);
		}
	}
	return error;
}

/* A LID that the topology came with, unless it is none or somebody else's. */
static int keep_lid(struct routing *routing, struct node *node, unsigned int number)
{
	struct port *port = &node->port[number];

	if (port->lid > MAX_UNICAST_LID || (port->lid && routing->lid_taken[port->lid]))
		port->lid = 0;
	port->lmc = 0;
	routing->lid_taken[port->lid] = true;
	return 0;
}

static int give_lid(struct routing *routing, struct node *node, unsigned int number)
{
	struct port *port = &node->port[number];

	if (!port->lid) {
		while (routing->next_lid <= MAX_UNICAST_LID &&
		       routing->lid_taken[routing->next_lid])
			routing->next_lid++;
		if (routing->next_lid > MAX_UNICAST_LID)
			return -ENOSPC;
		port->lid = routing->next_lid++;
	}
	if (port->lid > routing->top_lid)
		routing->top_lid = port->lid;
	return 0;
}

static int configure_port(struct routing *routing, struct node *node, unsigned int number)
{
	uint8_t *info = node->port[number].port_info;

	mad_set_field(info, 0, IB_PORT_LID_F, node->port[number].lid);
	mad_set_field(info, 0, IB_PORT_LMC_F, 0);
	mad_set_field(info, 0, IB_PORT_SMLID_F, routing->manager_lid);
	mad_set_field(info, 0, IB_PORT_SMSL_F, 0);
	mad_set_field(info, 0, IB_PORT_SUBN_TIMEOUT_F, SUBNET_TIMEOUT);
	return 0;
}

static uint32_t lesser(uint8_t *info, uint8_t *peer_info, enum MAD_FIELDS field)
{
	uint32_t here = mad_get_field(info, 0, field);
	uint32_t there = mad_get_field(peer_info, 0, field);

	return here < there ? here : there;
}

/* All that the port can do is allowed; of a switch's, the width is left alone. */
static void enable_all(const struct node *node, uint8_t *info)
{
	if (node->type != NODE_SWITCH)
		mad_set_field(info, 0, IB_PORT_LINK_WIDTH_ENABLED_F,
			      mad_get_field(info, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F));
	mad_set_field(info, 0, IB_PORT_LINK_SPEED_ENABLED_F,
		      mad_get_field(info, 0, IB_PORT_LINK_SPEED_SUPPORTED_F));
	mad_set_field(info, 0, IB_PORT_LINK_SPEED_EXT_ENABLED_F,
		      mad_get_field(info, 0, IB_PORT_LINK_SPEED_EXT_SUPPORTED_F));
}

/* What a switch's port does with the packets that leave by it. */
static void configure_exit(uint8_t *info, bool to_host)
{
	mad_set_field(info, 0, IB_PORT_VL_STALL_COUNT_F, STALL_COUNT);
	mad_set_field(info, 0, IB_PORT_HOQ_LIFE_F, to_host ? HOST_LIFE_TIME : LIFE_TIME);
	mad_set_field(info, 0, IB_PORT_PART_EN_INB_F, to_host);
	mad_set_field(info, 0, IB_PORT_PART_EN_OUTB_F, to_host);
}

/* One end of a link, from what both can. */
static void activate_end(const struct node *node, struct port *port)
{
	struct port *peer = &port->peer->port[port->peer_port];
	uint8_t *info = port->port_info;

	mad_set_field(info, 0, IB_PORT_STATE_F, PORT_ACTIVE);
	mad_set_field(info, 0, IB_PORT_NEIGHBOR_MTU_F,
		      lesser(info, peer->port_info, IB_PORT_MTU_CAP_F));
	mad_set_field(info, 0, IB_PORT_OPER_VLS_F, lesser(info, peer->port_info, IB_PORT_VL_CAP_F));
	mad_set_field(info, 0, IB_PORT_LOCAL_PHYS_ERR_F, ERROR_LIMIT);
	mad_set_field(info, 0, IB_PORT_OVERRUN_ERR_F, ERROR_LIMIT);
	enable_all(node, info);
	if (node->type == NODE_SWITCH)
		configure_exit(info, port->peer->type != NODE_SWITCH);
}

/* Both ends. */
static void activate(const struct node *node, struct port *port)
{
	if (!is_up(port))
		return;
	activate_end(node, port);
	activate_end(port->peer, &port->peer->port[port->peer_port]);
}

static int open_table(struct routing *routing, struct node *node)
{
	uint32_t size = (routing->top_lid / LFT_BLOCK + 1u) * LFT_BLOCK;
	uint8_t *lft = realloc(node->lft, size);

	if (!lft)
		return -ENOMEM;
	memset(lft, LFT_DROP, size);
	node->lft = lft;
	node->lft_size = size;
	node->lft_top = routing->top_lid;
	mad_set_field(node->switch_info, 0, IB_SW_LINEAR_FDB_TOP_F, routing->top_lid);
	mad_set_field(node->switch_info, 0, IB_SW_LIFE_TIME_F, LIFE_TIME);
	mad_set_field(node->switch_info, 0, IB_SW_STATE_CHANGE_F, 0);
	return 0;
}

static int configure_switches(struct routing *routing)
{
	for (size_t i = 0; i < routing->switch_count; i++) {
		struct node *node = routing->switches[i];

		if (open_table(routing, node))
			return -ENOMEM;
		for (unsigned int number = 1; number <= node->port_count; number++)
			activate(node, &node->port[number]);
	}
	return lft_spread(routing->fabric, routing->switches, routing->switch_count);
}

static int configure(struct routing *routing, const struct place *manager)
{
	int error;

	reach_all(routing, manager);
	for_each_port(routing, manager, keep_lid);
	error = for_each_port(routing, manager, give_lid);
	if (error)
		return error;
	routing->manager_lid = manager->node->port[manager->port].lid;
	for_each_port(routing, manager, configure_port);
	if (manager->port)
		activate(manager->node, &manager->node->port[manager->port]);
	return configure_switches(routing);
}

int fabric_route(struct fabric *fabric, const struct topology_node *node, unsigned int port)
{
	struct place manager = { .node = &fabric->nodes[node->index], .port = port };
	size_t count = fabric->topology->node_count;
	struct routing *routing;
	int error = -ENOMEM;

	if (port > node->port_count || !port != (node->type == NODE_SWITCH))
		return -EINVAL;
	routing = calloc(1, sizeof(*routing));
	if (!routing)
		return -ENOMEM;
	routing->fabric = fabric;
	routing->next_lid = 1;
	routing->reached = calloc(count, sizeof(*routing->reached));
	routing->switches = calloc(count, sizeof(struct node *));
	if (routing->reached && routing->switches)
		error = configure(routing, &manager);
	free(routing->reached);
	free(routing->switches);
	free(routing);
	return error;
}
