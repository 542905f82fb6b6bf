/* SPDX-License-Identifier: BSD-2-Clause */
/* The queries of a discovery, from the time they are made to their outcome. */

#include <errno.h>
#include <stdlib.h>

#include "discovery.h"

static void append_query(struct discovery *discovery, struct query *query)
{
	query->next = NULL;
	*discovery->last = query;
	discovery->last = &query->next;
}

/* Moves the queries that a node has kept to those that are to be sent. */
void discovery_append_kept(struct discovery *discovery, struct node *node)
{
	if (!node->lid.first)
		return;
	*discovery->last = node->lid.first;
	discovery->last = node->lid.last;
	node->lid.first = NULL;
}

void discovery_ask(struct discovery *discovery, const struct query *query)
{
	struct query *queued;

	if (discovery->stopped) {
		discovery->dropped++;
		return;
	}
	queued = calloc(1, sizeof(*queued));
	if (!queued) {
		discovery_fail(discovery, -ENOMEM);
		return;
	}
	*queued = *query;
	if (queued->node && !queued->problem)
		queued->node->asked_for++;
	discovery->waiting++;
	branch_open(&discovery->branches, queued);
	levels_open(&discovery->levels, queued);
	if (!levels_hold(&discovery->levels, queued))
		append_query(discovery, queued);
}

static void end_query_about(struct discovery *discovery, struct node *node)
{
	if (!--node->asked_for && !node->is_partial && discovery->node_known)
		discovery->node_known(discovery->seen_context, node);
}

void discovery_end_query(struct discovery *discovery, struct query *query)
{
	if (query->node && !query->problem)
		end_query_about(discovery, query->node);
	branch_close(&discovery->branches, query);
	levels_close(&discovery->levels, query);
	if (lids_end(discovery, query))
		discovery_append_kept(discovery, query->node);
	free(query);
}
