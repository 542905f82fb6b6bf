/* SPDX-License-Identifier: BSD-2-Clause */
#include "levels.h"

#include <madring/names.h>

#include "discovery.h"
#include "graph.h"

/* Returns whether a query is for a port of a switch, whose cable it may lead to. */
static bool is_for_switch_port(const struct query *query)
{
	return query->attribute == MADRING_ATTR_PORT_INFO &&
	       query->node->public.type == MADRING_NODE_SWITCH && query->modifier &&
	       !(query->modifier & PORT_INFO_EXTENDED_SPEEDS);
}

/* Returns whether the reply to a query may lead to another node. */
static bool may_lead_on(const struct query *query)
{
	return (query->attribute == MADRING_ATTR_NODE_INFO && !query->node) ||
	       is_for_switch_port(query) ||
	       (query->attribute == MADRING_ATTR_PORT_INFO && !query->via);
}

static unsigned int level_of(const struct query *query)
{
	const struct node *node = query->node ? query->node : query->via;

	return node ? node->public.hops : 0;
}

/*
 * Moves .lowest past the levels that have nothing open. It stays at a level whose queries wait,
 * because they are open.
 */
static void pass_done_levels(struct levels *levels)
{
	while (levels->lowest < ROUTE_MAX_HOPS && !levels->open[levels->lowest])
		levels->lowest++;
}

void levels_open(struct levels *levels, const struct query *query)
{
	if (may_lead_on(query))
		levels->open[level_of(query)]++;
}

void levels_close(struct levels *levels, const struct query *query)
{
	if (may_lead_on(query))
		levels->open[level_of(query)]--;
}

bool levels_hold(struct levels *levels, struct query *query)
{
	unsigned int level = level_of(query);

	if (!is_for_switch_port(query) || query->is_straight || query->is_directed)
		return false;
	pass_done_levels(levels);
	if (level <= levels->lowest)
		return false;
	if (!levels->first[level])
		levels->last[level] = &levels->first[level];
	query->next = NULL;
	*levels->last[level] = query;
	levels->last[level] = &query->next;
	levels->held++;
	return true;
}

/* Moves the queries that wait in a level to the end of a queue. */
static void release_level(struct levels *levels, unsigned int level, struct query ***last)
{
	**last = levels->first[level];
	for (struct query *query = levels->first[level]; query; query = query->next) {
		*last = &query->next;
		levels->held--;
	}
	levels->first[level] = NULL;
}

void levels_release(struct levels *levels, struct query ***last)
{
	if (!levels->held)
		return;
	pass_done_levels(levels);
	for (unsigned int level = 0; level <= levels->lowest; level++)
		release_level(levels, level, last);
}

size_t levels_in_the_way(const struct levels *levels)
{
	size_t count = 0;

	if (!levels->held)
		return 0;
	for (unsigned int level = levels->lowest; !levels->first[level]; level++)
		count += levels->open[level];
	return count;
}

void levels_hurry(struct levels *levels, struct query ***last)
{
	unsigned int level = 0;

	if (!levels->held)
		return;
	while (!levels->first[level])
		level++;
	release_level(levels, level, last);
}
