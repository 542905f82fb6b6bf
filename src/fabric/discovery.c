/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "cables.h"
#include "discovery.h"

void discovery_start(struct discovery *discovery, struct madring_fabric *fabric)
{
	*discovery = (struct discovery){ .fabric = fabric, .max_nodes = FABRIC_MAX_NODES };
	discovery->last = &discovery->first;
	discovery_ask(discovery, &(struct query){ .attribute = MADRING_ATTR_NODE_INFO });
}

static struct query *take_first(struct discovery *discovery)
{
	struct query *query = discovery->first;

	if (!query)
		return NULL;
	discovery->first = query->next;
	if (!discovery->first)
		discovery->last = &discovery->first;
	return query;
}

static void drop_query(struct discovery *discovery, struct query *query)
{
	discovery->dropped++;
	discovery->waiting--;
	if (query->node)
		query->node->is_partial = true;
	discovery_end_query(discovery, query);
}

/*
 * Lets queries that waited for nearer ones go, if they need not wait any longer. A branch that
 * waits for the rest of the fabric would wait for queries that wait for it.
 */
static void release_levels(struct discovery *discovery, bool none_in_flight)
{
	levels_release(&discovery->levels, &discovery->last);
	if (none_in_flight || discovery->branches.with_queue)
		levels_hurry(&discovery->levels, &discovery->last);
}

size_t discovery_in_the_way(const struct discovery *discovery)
{
	return levels_in_the_way(&discovery->levels);
}

void discovery_hurry(struct discovery *discovery)
{
	levels_hurry(&discovery->levels, &discovery->last);
}

/* Takes a query out of those that wait for the rest of the fabric if all else is answered. */
static struct query *take_waiting(struct discovery *discovery, bool *is_forced)
{
	struct branches *branches = &discovery->branches;
	struct query *query = branch_take(branches, discovery->fabric, false);

	*is_forced = !query && branches->open == discovery->waiting;
	return *is_forced ? branch_take(branches, discovery->fabric, true) : query;
}

/* Returns whether a query can be sent now. Keeps it until then, or drops it, if not. */
static bool admit_query(struct discovery *discovery, struct query *query)
{
	struct node *branch;

	if (discovery->cut && branch_has(discovery->cut, query)) {
		drop_query(discovery, query);
		return false;
	}
	branch = branch_to_wait_in(&discovery->branches, discovery->fabric, query);
	if (branch)
		branch_wait(&discovery->branches, branch, query);
	return !branch;
}

struct query *discovery_take(struct discovery *discovery)
{
	struct query *query;

	while (!discovery->error) {
		bool is_forced = false;

		if (!discovery->first)
			release_levels(discovery, discovery->branches.open == discovery->waiting);
		query = take_first(discovery);
		if (!query)
			query = take_waiting(discovery, &is_forced);
		if (!query)
			return NULL;
		if (!is_forced && !admit_query(discovery, query))
			continue;
		if (earlier_has(discovery, query)) {
			discovery_recall(discovery, query);
			continue;
		}
		if (query->via)
			query->via->port[query->exit].was_crossed = true;
		query->back = cable_way_back(discovery, query);
		if (lids_route(discovery, query)) {
			discovery->waiting--;
			return query;
		}
	}
	return NULL;
}

void discovery_put_back(struct discovery *discovery, struct query *query)
{
	if (!discovery->first)
		discovery->last = &query->next;
	query->next = discovery->first;
	discovery->first = query;
	discovery->waiting++;
	lids_put_back(discovery, query);
}

static void drop_waiting(struct discovery *discovery)
{
	struct query *query;

	while (discovery->levels.held)
		levels_hurry(&discovery->levels, &discovery->last);
	for (size_t i = 0; i < discovery->fabric->node_count; i++)
		discovery_append_kept(discovery, discovery->fabric->nodes[i]);
	while ((query = take_first(discovery)) ||
	       (query = branch_take(&discovery->branches, discovery->fabric, true)))
		drop_query(discovery, query);
}

void discovery_end(struct discovery *discovery)
{
	drop_waiting(discovery);
	problems_free(&discovery->problems);
	earlier_close(&discovery->earlier);
	free(discovery->lids.owner);
	discovery->lids.owner = NULL;
}

void discovery_stop(struct discovery *discovery)
{
	discovery->stopped = true;
	drop_waiting(discovery);
}

bool discovery_complete(const struct discovery *discovery)
{
	return !discovery->stopped && !discovery->waiting && !discovery->problems.count &&
	       !discovery->earlier.is_doubtful;
}
