/* SPDX-License-Identifier: BSD-2-Clause */
#include "lids.h"

#include <errno.h>
#include <stdlib.h>

#include <madring/names.h>

#include "discovery.h"
#include "graph.h"

/*
 * Nodes that may fail to answer by their LIDs beyond as many as have answered, before no more are
 * tried.
 */
#define MOST_REFUSED 8

#define FIRST_MULTICAST_LID 0xc000

/* Returns whether a query's reply has the LID of its node. A switch has one for all its ports. */
static bool has_lid(const struct query *query)
{
	return query->attribute == MADRING_ATTR_PORT_INFO &&
	       (query->node->public.type != MADRING_NODE_SWITCH || !query->modifier) &&
	       !(query->modifier & PORT_INFO_EXTENDED_SPEEDS);
}

/* Returns whether a query is for a port of a channel adapter or router that has another LID. */
static bool is_for_another_port(const struct query *query)
{
	return has_lid(query) && query->modifier != query->node->lid.port;
}

static void refuse_node(struct lids *lids, struct node *node)
{
	if (node->lid.trust == LID_REFUSED)
		return;
	if (node->lid.trust == LID_TRUSTED)
		lids->trusted--;
	node->lid.trust = LID_REFUSED;
	lids->refused++;
}

static void keep_query(struct node_lid *lid, struct query *query)
{
	if (!lid->first)
		lid->last = &lid->first;
	query->next = NULL;
	*lid->last = query;
	lid->last = &query->next;
}

/*
 * Returns whether a query may go by a LID first, and by a directed route from there. Back, it goes
 * by the LID of the local node.
 */
static bool may_mix(struct discovery *discovery)
{
	struct lids *lids = &discovery->lids;

	if (!discovery_own_lid(discovery) || lids->mixed == LID_TRIED || lids->mixed == LID_REFUSED)
		return false;
	if (lids->mixed == LID_UNKNOWN)
		lids->mixed = LID_TRIED;
	return true;
}

/* Sends a query for a node's LID by that of the switch before it, if it may. */
static void route_beyond(struct discovery *discovery, struct query *query)
{
	const struct node *via = query->via;

	if (!via || via->lid.trust != LID_TRUSTED || query->is_directed || !may_mix(discovery))
		return;
	query->lid = via->lid.lid;
	query->is_beyond = true;
}

bool lids_route(struct discovery *discovery, struct query *query)
{
	struct node *node = query->node;
	struct lids *lids = &discovery->lids;

	query->lid = 0;
	query->is_beyond = false;
	if (!lids->wanted || !node || node == discovery->fabric->root || query->problem)
		return true;
	switch (node->lid.trust) {
	case LID_UNKNOWN:
		if (lids->failed) {
			refuse_node(lids, node);
			return true;
		}
		if (!has_lid(query))
			break;
		node->lid.trust = LID_ASKED;
		query->decides_lid = true;
		route_beyond(discovery, query);
		return true;
	case LID_ASKED:
		if (!query->decides_lid)
			break;
		return true;
	case LID_TRIED:
		if (query->attribute != MADRING_ATTR_NODE_INFO)
			break;
		query->lid = node->lid.lid;
		return true;
	case LID_TRUSTED:
		if (!query->is_directed && !is_for_another_port(query) &&
		    (!query->back || may_mix(discovery)))
			query->lid = node->lid.lid;
		return true;
	case LID_REFUSED:
		return true;
	}
	keep_query(&node->lid, query);
	return false;
}

static bool is_mixed(const struct query *query)
{
	return query->lid && (query->back || query->is_beyond);
}

void lids_put_back(struct discovery *discovery, const struct query *query)
{
	if (query->decides_lid && !query->is_directed)
		query->node->lid.trust = LID_UNKNOWN;
	if (is_mixed(query) && discovery->lids.mixed == LID_TRIED)
		discovery->lids.mixed = LID_UNKNOWN;
}

void lids_take_reply(struct discovery *discovery, const struct query *query)
{
	if (is_mixed(query))
		discovery->lids.mixed = LID_TRUSTED;
}

bool lids_take_port_info(struct discovery *discovery, const struct query *query)
{
	struct lids *lids = &discovery->lids;
	struct node *node = query->node, **owner;
	uint16_t lid;

	lid = node->port[query->modifier].info.lid;
	if (!lid || lid >= FIRST_MULTICAST_LID)
		return false;
	if (!lids->owner)
		lids->owner = calloc(LIDS, sizeof(struct node *));
	if (!lids->owner) {
		discovery_fail(discovery, -ENOMEM);
		return false;
	}
	owner = &lids->owner[lid];
	if (*owner) {
		refuse_node(lids, *owner);
		return false;
	}
	*owner = node;
	node->lid.lid = lid;
	node->lid.port = (uint8_t)query->modifier;
	node->lid.trust = LID_TRIED;
	return true;
}

void lids_take_node_info(struct discovery *discovery, const struct query *query,
			 const struct madring_node_info *info)
{
	const struct madring_node *known = &query->node->public;

	if (query->node->lid.trust != LID_TRIED || info->node_guid != known->guid ||
	    info->system_guid != known->system_guid || info->type != known->type ||
	    info->port_count != known->port_count)
		return;
	query->node->lid.trust = LID_TRUSTED;
	discovery->lids.trusted++;
}

void lids_lose(struct discovery *discovery, const struct query *query, bool is_unusable)
{
	struct lids *lids = &discovery->lids;

	lids->lost++;
	if (is_mixed(query))
		lids->mixed = lids->mixed == LID_TRIED ? LID_REFUSED : lids->mixed;
	else if (is_unusable)
		refuse_node(lids, query->node);
}

bool lids_end(struct discovery *discovery, const struct query *query)
{
	struct lids *lids = &discovery->lids;
	struct node *node = query->node;

	if (!lids->wanted || !node || node == discovery->fabric->root)
		return false;
	lids->requests += query->lid != 0;
	if ((node->lid.trust == LID_UNKNOWN && has_lid(query)) ||
	    (node->lid.trust == LID_ASKED && query->decides_lid) ||
	    (node->lid.trust == LID_TRIED && query->attribute == MADRING_ATTR_NODE_INFO)) {
		refuse_node(lids, node);
		lids->failed |= lids->refused > MOST_REFUSED + lids->trusted;
	}
	return node->lid.first && node->lid.trust >= LID_TRUSTED;
}
