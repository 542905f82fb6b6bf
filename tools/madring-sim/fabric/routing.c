/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "fabric/ext_speed.h"
#include "fabric/inside.h"
#include "fabric/routing.h"

#define MAX_UNICAST_LID 0xbfff
#define LFT_BLOCK	64

#define SUBNET_TIMEOUT 18 /* 4.096 us times 2^18 */
#define LIFE_TIME      18 /* the same, of a packet in a switch, and before one's exit */
#define HOST_LIFE_TIME 16 /* before an exit to a host */
#define STALL_COUNT    7
#define ERROR_LIMIT    8 /* errors of a link in a while until they count */

/* is_up tells whether a port leads to a node that a manager can reach. */
static bool is_up(const struct port *port)
{
	return port->up && node_answers(port->peer);
}

#define BATCH 64

struct exit {
	uint32_t to; /* position of the switch behind the port */
	uint8_t port;
};

/* A switch as a hub of routes. Hubs have the order of the switches. */
struct hub {
	struct node *node;
	struct exit *exits; /* to other switches */
	uint32_t exit_count;
	uint16_t *lids; /* that it has itself, or a host at one of its ports */
	uint32_t lid_count;
	uint32_t turn; /* of the exits, which is first next time */
	/*
	 * Destinations that the switch was reached from: in all rounds, in the last one, in this
	 * one.
	 */
	uint64_t seen, last, fresh;
};

/* A choice of exit: a port, and the destinations of the batch that it leads to. */
struct choice {
	uint64_t destinations;
	uint8_t port;
};

struct spread {
	struct hub *hubs;
	size_t count;
	struct exit *exits;
	uint16_t *lids;
	struct choice choices[UINT8_MAX]; /* of one switch */
};

static size_t count_exits(struct node *const *switches, size_t count)
{
	size_t exits = 0;

	for (size_t i = 0; i < count; i++)
		exits += switches[i]->port_count;
	return exits;
}

/* look_at lists a switch's exits and LIDs, and routes to its own hosts, which need no search. */
static void look_at(struct hub *hub, const uint32_t *position, const struct fabric *fabric)
{
	struct node *node = hub->node;

	hub->lids[hub->lid_count++] = node->port[0].lid;
	node->lft[node->port[0].lid] = 0;
	for (unsigned int number = 1; number <= node->port_count; number++) {
		const struct port *port = &node->port[number];
		uint16_t lid;

		if (!is_up(port))
			continue;
		if (port->peer->type == NODE_SWITCH) {
			hub->exits[hub->exit_count++] = (struct exit){
				.to = position[port->peer - fabric->nodes],
				.port = (uint8_t)number,
			};
			continue;
		}
		lid = port->peer->port[port->peer_port].lid;
		hub->lids[hub->lid_count++] = lid;
		node->lft[lid] = (uint8_t)number;
	}
}

/*
 * deal deals the LIDs of the fresh destinations out to the ports that lead there, one at a time. No
 * port is dealt two while another one could have had the second.
 */
static void deal(struct spread *spread, struct hub *hub, size_t first, uint32_t count)
{
	struct choice *choices = spread->choices;
	uint32_t dealt[BATCH] = { 0 };
	uint64_t left = hub->fresh, mine;
	uint32_t i = hub->turn % count;
	const struct hub *goal;
	unsigned int bit;

	while (left) {
		if (i >= count)
			i = 0;
		mine = choices[i].destinations & left;
		if (!mine) {
			choices[i] = choices[--count];
			continue;
		}
		bit = (unsigned int)__builtin_ctzll(mine);
		goal = &spread->hubs[first + bit];
		hub->node->lft[goal->lids[dealt[bit]]] = choices[i].port;
		if (++dealt[bit] == goal->lid_count)
			left &= ~(1ull << bit);
		i++;
		hub->turn++;
	}
}

/* come_to routes to the destinations that are reached in this round. False: there are none. */
static bool come_to(struct spread *spread, struct hub *hub, size_t first)
{
	uint32_t count = 0;

	hub->fresh = 0;
	for (uint32_t i = 0; i < hub->exit_count; i++) {
		uint64_t mask = spread->hubs[hub->exits[i].to].last & ~hub->seen;

		if (!mask)
			continue;
		hub->fresh |= mask;
		spread->choices[count++] = (struct choice){ mask, hub->exits[i].port };
	}
	if (!count)
		return false;
	deal(spread, hub, first, count);
	return true;
}

static void start_batch(struct spread *spread, size_t first)
{
	for (size_t i = 0; i < spread->count; i++) {
		struct hub *hub = &spread->hubs[i];

		hub->last = i >= first && i - first < BATCH ? 1ull << (i - first) : 0;
		hub->seen = hub->last;
	}
}

static void spread_batch(struct spread *spread, size_t first)
{
	bool more;

	start_batch(spread, first);
	do {
		more = false;
		for (size_t i = 0; i < spread->count; i++)
			more |= come_to(spread, &spread->hubs[i], first);
		for (size_t i = 0; i < spread->count; i++) {
			spread->hubs[i].last = spread->hubs[i].fresh;
			spread->hubs[i].seen |= spread->hubs[i].fresh;
		}
	} while (more);
}

static void set_up(struct spread *spread, const struct fabric *fabric, struct node *const *switches,
		   uint32_t *position)
{
	struct exit *exits = spread->exits;
	uint16_t *lids = spread->lids;

	for (uint32_t i = 0; i < spread->count; i++)
		position[switches[i] - fabric->nodes] = i;
	for (uint32_t i = 0; i < spread->count; i++) {
		struct hub *hub = &spread->hubs[i];

		*hub = (struct hub){ .node = switches[i], .exits = exits, .lids = lids };
		look_at(hub, position, fabric);
		exits += hub->exit_count;
		lids += hub->lid_count;
	}
}

/*
 * lft_spread fills the forwarding tables of the switches of one subnet with shortest routes. The
 * tables are large enough for all LIDs of the subnet, and the ports have these LIDs. Of several
 * ports that are equally near to a LID, each gets as many LIDs as any other. Returns 0, or -ENOMEM:
 * the tables are as they were.
 *
 * 64 destination switches are looked at in one go, each a bit of a mask. The search starts at them
 * and reaches all switches by shortest routes, one step a round. Where a switch is reached, it can
 * send by any port behind which the mask already had the bit.
 */
static int lft_spread(const struct fabric *fabric, struct node *const *switches, size_t count)
{
	struct spread spread = { .count = count };
	size_t exits = count_exits(switches, count);
	uint32_t *position = calloc(fabric->topology->node_count, sizeof(*position));
	int error = -ENOMEM;

	spread.hubs = calloc(count, sizeof(*spread.hubs));
	spread.exits = calloc(exits, sizeof(*spread.exits));
	spread.lids = calloc(exits + count, sizeof(*spread.lids));
	if (!count) {
		error = 0;
	} else if (position && spread.hubs && spread.exits && spread.lids) {
		set_up(&spread, fabric, switches, position);
		for (size_t first = 0; first < count; first += BATCH)
			spread_batch(&spread, first);
		error = 0;
	}
	free(position);
	free(spread.hubs);
	free(spread.exits);
	free(spread.lids);
	return error;
}

struct routing {
	struct fabric *fabric;
	bool *reached; /* by the node's index: the switches of the subnet */
	struct node **switches;
	size_t switch_count;
	bool lid_taken[MAX_UNICAST_LID + 1];
	uint16_t next_lid, top_lid, manager_lid;
};

typedef int (*visit_fn)(struct routing *routing, struct node *node, unsigned int number);

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

/*
 * for_each_port calls back for every port of the subnet that has LIDs, switches' port 0 among them.
 */
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

/* keep_lid keeps a LID that the topology came with, if it is valid and no other port has it. */
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

/* enable_all enables what the port supports. The width of a switch's port stays. */
static void enable_all(const struct node *node, uint8_t *info)
{
	if (node->type != NODE_SWITCH)
		mad_set_field(info, 0, IB_PORT_LINK_WIDTH_ENABLED_F,
			      mad_get_field(info, 0, IB_PORT_LINK_WIDTH_SUPPORTED_F));
	mad_set_field(info, 0, IB_PORT_LINK_SPEED_ENABLED_F,
		      mad_get_field(info, 0, IB_PORT_LINK_SPEED_SUPPORTED_F));
	ext_speed_set(info, EXT_SPEED_ENABLED, ext_speed_get(info, EXT_SPEED_SUPPORTED));
}

/* configure_exit sets what a switch's port does with packets that leave by it. */
static void configure_exit(uint8_t *info, bool to_host)
{
	mad_set_field(info, 0, IB_PORT_VL_STALL_COUNT_F, STALL_COUNT);
	mad_set_field(info, 0, IB_PORT_HOQ_LIFE_F, to_host ? HOST_LIFE_TIME : LIFE_TIME);
	mad_set_field(info, 0, IB_PORT_PART_EN_INB_F, to_host);
	mad_set_field(info, 0, IB_PORT_PART_EN_OUTB_F, to_host);
}

/* activate_end activates one end of a link with what both ends support. */
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

/* activate activates both ends of a link. */
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
