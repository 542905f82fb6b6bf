/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmocka_all.h"
#include <infiniband/mad.h>
#include <madring.h>

#include "fake_fabric.h"
#include "fabric/order.h"
#include "madring-sweep/print.h"

/* Queries that are out at once at most. */
#define IN_FLIGHT 64

#define RETURN_PATH 192 /* of an SMP */

void fake_open(struct fake *fake, uint64_t seed)
{
	memset(fake, 0, sizeof(*fake));
	prng_seed(&fake->prng, seed);
}

struct fake_node *fake_add(struct fake *fake, enum madring_node_type type, uint8_t ports,
			   const char *description)
{
	struct fake_node *node = &fake->node[fake->count++];

	node->info = (struct madring_node_info){
		.type = type,
		.port_count = ports,
		.node_guid = 0x100 * fake->count,
		.port_guid = 0x100 * fake->count,
		.system_guid = 0x100 * fake->count,
		.vendor_id = 0x2c9,
	};
	memcpy(node->description, description, strlen(description));
	node->width = 2;
	node->speed = 1;
	if (!fake->local)
		fake->local = node;
	return node;
}

void fake_cable(struct fake_node *a, uint8_t a_port, struct fake_node *b, uint8_t b_port)
{
	a->port[a_port] = (struct fake_port){ b, b_port };
	b->port[b_port] = (struct fake_port){ a, a_port };
}

void fake_fat_tree(struct fake *fake, uint64_t seed, unsigned int leafs, unsigned int spines)
{
	struct fake_node *host;

	fake_open(fake, seed);
	host = fake_add(fake, MADRING_NODE_CA, 1, "host");
	for (unsigned int leaf = 0; leaf < leafs; leaf++)
		fake_add(fake, MADRING_NODE_SWITCH, 8, "leaf");
	for (unsigned int spine = 0; spine < spines; spine++)
		fake_add(fake, MADRING_NODE_SWITCH, 8, "spine");
	for (unsigned int leaf = 0; leaf < leafs; leaf++) {
		if (leaf)
			host = fake_add(fake, MADRING_NODE_CA, 1, "host");
		fake_cable(host, 1, fake_leaf(fake, leaf), 1);
		for (unsigned int spine = 0; spine < spines; spine++)
			fake_cable(fake_leaf(fake, leaf), (uint8_t)(spine + 2),
				   fake_spine(fake, leafs, spine), (uint8_t)(leaf + 1));
	}
}

uint16_t fake_lid(const struct fake_node *node)
{
	return (uint16_t)(node->info.node_guid >> 8);
}

/* Returns the node that a query for @lid gets to, or NULL. */
static struct fake_node *find_lid(struct fake *fake, const struct query *query)
{
	if (fake->by_lid)
		return fake->by_lid(fake, query);
	for (unsigned int n = 0; n < fake->count; n++)
		if (fake_lid(&fake->node[n]) == query->lid)
			return &fake->node[n];
	return NULL;
}

/*
 * Walks a directed route from @node, and fills in the ports by which it enters each node on the
 * way. NULL: nobody answers at its end.
 */
static struct fake_node *walk(struct fake_node *node, const struct route *route, uint8_t *port,
			      uint8_t *return_path)
{
	struct fake_node *start = node;

	*port = node->info.type == MADRING_NODE_SWITCH ? 0 : 1;
	for (unsigned int hop = 1; hop <= route->hops; hop++) {
		const struct fake_port *out = &node->port[route->port[hop]];

		if (node->dead || route->port[hop] > FAKE_PORTS || !out->peer)
			return NULL;
		if (node->info.type != MADRING_NODE_SWITCH && node != start)
			return NULL;
		if (node->sends_none_back && hop > 1 && route->port[hop] == *port)
			return NULL;
		node = out->peer;
		*port = out->peer_port;
		return_path[hop] = *port;
	}
	return node->dead ? NULL : node;
}

static void put_node_info(uint8_t *attribute, const struct fake_node *node, uint8_t port)
{
	bool is_switch = node->info.type == MADRING_NODE_SWITCH;

	mad_set_field(attribute, 0, IB_NODE_TYPE_F, node->info.type);
	mad_set_field(attribute, 0, IB_NODE_NPORTS_F, node->info.port_count);
	mad_set_field64(attribute, 0, IB_NODE_SYSTEM_GUID_F, node->info.system_guid);
	mad_set_field64(attribute, 0, IB_NODE_GUID_F, node->info.node_guid);
	mad_set_field64(attribute, 0, IB_NODE_PORT_GUID_F,
			node->info.port_guid + (is_switch ? 0 : port));
	mad_set_field(attribute, 0, IB_NODE_DEVID_F, node->info.device_id);
	mad_set_field(attribute, 0, IB_NODE_VENDORID_F, node->info.vendor_id);
	mad_set_field(attribute, 0, IB_NODE_LOCAL_PORT_F, port);
}

static void put_port_info(uint8_t *attribute, const struct fake_node *node, uint32_t modifier)
{
	uint32_t number = modifier & ~PORT_INFO_EXTENDED_SPEEDS;
	bool up = number <= FAKE_PORTS && (node->port[number].peer || !number);

	mad_set_field(attribute, 0, IB_PORT_LID_F, node->has_no_lid ? 0 : fake_lid(node));
	mad_set_field(attribute, 0, IB_PORT_CAPMASK_F, node->capability_mask);
	mad_set_field(attribute, 0, IB_PORT_STATE_F, up ? 4 : 1);
	mad_set_field(attribute, 0, IB_PORT_PHYS_STATE_F, up ? PHYSICAL_STATE_LINK_UP : 2);
	mad_set_field(attribute, 0, IB_PORT_LINK_WIDTH_ACTIVE_F, node->width);
	mad_set_field(attribute, 0, IB_PORT_LINK_SPEED_ACTIVE_F, node->speed);
	mad_set_field(attribute, 0, IB_PORT_LINK_SPEED_EXT_ACTIVE_F, node->speed_ext);
	mad_set_field(attribute, 0, IB_PORT_VL_CAP_F, 4);
	mad_set_field(attribute, 0, IB_PORT_CAPMASK2_F, node->capability_mask2);
	if (!node->hides_speed_ext2 || modifier & PORT_INFO_EXTENDED_SPEEDS)
		attribute[56] = node->speed_ext2;
}

static uint16_t put_attribute(uint8_t *attribute, const struct query *query,
			      const struct fake_node *node, uint8_t port)
{
	switch (query->attribute) {
	case IB_ATTR_NODE_INFO:
		put_node_info(attribute, node, port);
		return 0;
	case IB_ATTR_NODE_DESC:
		memcpy(attribute, node->description, DESCRIPTION_BYTES);
		return 0;
	case IB_ATTR_SWITCH_INFO:
		mad_set_field(attribute, 0, IB_SW_ENHANCED_PORT0_F, 1);
		/* A top beyond the cap is for whoever reads it to refuse. */
		mad_set_field(attribute, 0, IB_SW_LINEAR_FDB_CAP_F, 0xc000);
		mad_set_field(attribute, 0, IB_SW_LINEAR_FDB_TOP_F, 0xfffe);
		mad_set_field(attribute, 0, IB_SW_DEF_MCAST_NOT_PRIM_F, 255);
		mad_set_field(attribute, 0, IB_SW_MCAST_FDB_TOP_F, 0xc00f);
		return 0;
	case IB_ATTR_PORT_INFO:
		put_port_info(attribute, node, query->modifier);
		return 0;
	case IB_ATTR_MLNX_EXT_PORT_INFO:
		mad_set_field(attribute, 0, IB_MLNX_EXT_PORT_LINK_SPEED_ACTIVE_F, node->fdr10);
		return node->fdr10 ? 0 : 0x000c;
	}
	return 0x000c;
}

bool fake_reply(struct fake *fake, const struct query *query, uint8_t mad[FAKE_MAD_BYTES],
		size_t *length)
{
	struct madring_mad_hdr header = {
		.base_version = 1,
		.mgmt_class = query_class(query),
		.class_version = 1,
		.method = MADRING_GET_RESP,
		.attr_id = htobe16(query->attribute),
		.attr_mod = htobe32(query->modifier),
	};
	struct fake_node *node;
	struct route route;
	uint16_t status;
	uint8_t port;

	memset(mad, 0, FAKE_MAD_BYTES);
	query_route(query, &route);
	fake->asked++;
	fake->asked_node_info += query->attribute == IB_ATTR_NODE_INFO;
	fake->asked_back += query->back != 0;
	fake->asked_by_lid += query->lid != 0;
	node = query->lid ? find_lid(fake, query) : fake->local;
	if (node)
		node = walk(node, &route, &port, mad + RETURN_PATH);
	if (!node)
		return false;
	status = put_attribute(mad + MADRING_SMP_DATA, query, node, port);
	header.status = htobe16(0x8000 | status);
	memcpy(mad, &header, sizeof(header));
	*length = fake->spoil ? fake->spoil(fake, query, mad) : FAKE_MAD_BYTES;
	return true;
}

void fake_answer(struct fake *fake, struct discovery *discovery, struct query *query)
{
	_Alignas(8) uint8_t mad[FAKE_MAD_BYTES];
	size_t length;

	if (fake_reply(fake, query, mad, &length))
		discovery_reply(discovery, query, mad, length);
	else
		discovery_no_reply(discovery, query, -ETIMEDOUT);
}

/* Returns which query is answered next: the first of the hasty ones, or else a random one. */
static size_t choose(struct fake *fake, struct query *const out[], size_t count)
{
	for (size_t i = 0; fake->is_hasty && i < count; i++)
		if (fake->is_hasty(out[i]))
			return i;
	return prng_below(&fake->prng, count);
}

static void answer_all(struct fake *fake, struct discovery *discovery)
{
	struct query *out[IN_FLIGHT], *query;
	size_t count = 0, at;

	for (;;) {
		while (count < IN_FLIGHT && (query = discovery_take(discovery)))
			out[count++] = query;
		if (!count)
			return;
		at = choose(fake, out, count);
		query = out[at];
		out[at] = out[--count];
		fake_answer(fake, discovery, query);
	}
}

void fake_discover(struct fake *fake, struct discovery *discovery)
{
	fake_discover_some(fake, discovery, FABRIC_MAX_NODES);
}

void fake_discover_some(struct fake *fake, struct discovery *discovery, size_t max_nodes)
{
	discovery_start(discovery, fabric_new());
	discovery->max_nodes = max_nodes;
	discovery->lids.wanted = fake->is_lid_routed;
	discovery->node_known = fake->node_known;
	discovery->seen_context = fake->known_context;
	if (fake->earlier)
		assert_int_equal(earlier_open(&discovery->earlier, fake->earlier, fake->look_at,
					      fake->look_at_count),
				 0);
	do
		answer_all(fake, discovery);
	while (!discovery_settle(discovery));
	answer_all(fake, discovery);
	order_nodes(discovery->fabric);
	problems_order(&discovery->problems);
	for (size_t i = 0; i < discovery->problems.count; i++)
		problem_set_route(discovery->problems.list[i]);
	fabric_settle(discovery->fabric);
}

void fake_close(struct discovery *discovery)
{
	discovery_end(discovery);
	fabric_free(discovery->fabric);
}

char *fake_topology(const struct discovery *discovery)
{
	struct options options = { .full = true };
	struct result result = { .fabric = discovery->fabric, .options = &options };
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	print_topology(out, &result);
	fclose(out);
	return text;
}

const struct problem *fake_problem(const struct discovery *discovery,
				   enum madring_problem_kind kind)
{
	for (size_t i = 0; i < discovery->problems.count; i++)
		if (discovery->problems.list[i]->public.kind == kind)
			return discovery->problems.list[i];
	return NULL;
}

const char *fake_problem_path(const struct problem *problem)
{
	static char text[ROUTE_TEXT_BYTES];
	struct route route;

	problem_route(problem, &route);
	return route_text(&route, text);
}
