/* SPDX-License-Identifier: BSD-2-Clause */
#include "branch.h"

#include "discovery.h"
#include "graph.h"

/* Returns the node whose branch a query belongs to, or NULL for the first query of all. */
static struct node *node_of(const struct query *query)
{
	return query->node ? query->node : query->via;
}

void branch_add(struct node *node, const struct query *query)
{
	node->branch.parent = query->via;
	for (struct node *up = node; up; up = up->branch.parent)
		up->branch.held += node->public.port_count + 1u;
}

void branch_open(struct branches *branches, const struct query *query)
{
	branches->open++;
	for (struct node *up = node_of(query); up; up = up->branch.parent)
		up->branch.open++;
}

void branch_close(struct branches *branches, const struct query *query)
{
	branches->open--;
	for (struct node *up = node_of(query); up; up = up->branch.parent)
		up->branch.open--;
}

bool branch_has(const struct node *node, const struct query *query)
{
	for (const struct node *up = node_of(query); up; up = up->branch.parent)
		if (up == node)
			return true;
	return false;
}

static bool is_heavy(const struct madring_fabric *fabric, const struct node *node)
{
	return node->branch.held > BRANCH_FREE_PORTS && node->branch.held > fabric->port_count / 2;
}

/*
 * `branch_to_wait_in` searches outwards, so it finds the inner one of two heavy branches. That one
 * waits for all that the outer one waits for, and more.
 */
struct node *branch_to_wait_in(const struct branches *branches, const struct madring_fabric *fabric,
			       const struct query *query)
{
	if (fabric->port_count <= BRANCH_FREE_PORTS)
		return NULL;
	for (struct node *up = node_of(query); up; up = up->branch.parent)
		if (is_heavy(fabric, up))
			return branches->open > up->branch.open ? up : NULL;
	return NULL;
}

void branch_wait(struct branches *branches, struct node *node, struct query *query)
{
	struct branch *branch = &node->branch;

	if (!branch->has_queue) {
		branch->has_queue = true;
		branch->next_with_queue = branches->with_queue;
		branches->with_queue = node;
	}
	if (!branch->first)
		branch->last = &branch->first;
	query->next = NULL;
	*branch->last = query;
	branch->last = &query->next;
}

/*
 * `may_go_on` lets a branch go on once the rest of the fabric is answered, or once it holds at most
 * a third of all ports. A branch starts to wait above a half. The gap keeps replies from moving
 * queries to and fro.
 */
static bool may_go_on(const struct branches *branches, const struct madring_fabric *fabric,
		      const struct node *node)
{
	return branches->open == node->branch.open || node->branch.held <= fabric->port_count / 3;
}

struct query *branch_take(struct branches *branches, const struct madring_fabric *fabric, bool any)
{
	struct node **at = &branches->with_queue, *node;

	while ((node = *at)) {
		struct branch *branch = &node->branch;
		struct query *query = branch->first;

		if (!query) {
			*at = branch->next_with_queue;
			branch->has_queue = false;
			continue;
		}
		if (any || may_go_on(branches, fabric, node)) {
			branch->first = query->next;
			return query;
		}
		at = &branch->next_with_queue;
	}
	return NULL;
}

struct node *branch_heaviest(const struct madring_fabric *fabric)
{
	struct node *heaviest = NULL;

	for (size_t i = 0; i < fabric->node_count; i++) {
		struct node *node = fabric->nodes[i];

		if (is_heavy(fabric, node) &&
		    (!heaviest || node->branch.held < heaviest->branch.held))
			heaviest = node;
	}
	return heaviest;
}
