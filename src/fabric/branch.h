/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A branch is a node with all that was first found through it. Branches keep one node from taking
 * the whole sweep by inventing a switch behind each of its ports, and one behind each port of
 * those.
 *
 * A real fabric has large branches, too: all of it may be behind one cable. So no branch is cut for
 * its size alone. But while a branch holds more than half of all ports, its queries wait until
 * those of the rest of the fabric are answered. So the rest is found first. The rest is also found
 * whole, because the limits (FABRIC_MAX_NODES, FABRIC_MAX_PORTS) are twice what a real fabric
 * needs. A real branch that waits loses only some time, and only beyond BRANCH_FREE_PORTS. Two
 * branches can both be so large only if one is part of the other. If two nodes invent others in
 * different places, these are found as fast as the rest, and only the limits end them.
 *
 * Ports are counted rather than nodes, because each port costs a query, and memory.
 */
#ifndef FABRIC_BRANCH_H
#define FABRIC_BRANCH_H

#include <stdbool.h>
#include <stddef.h>

struct madring_fabric;
struct node;
struct query;

/* A branch that holds no more ports than some 1,600 switches of 40 ports never waits. */
#define BRANCH_FREE_PORTS 65536u

struct branch {
	struct node *parent;	      /* this node was found through it; NULL: the local node */
	size_t held;		      /* ports of the nodes in the branch */
	size_t open;		      /* queries of the branch that have no outcome yet */
	struct query *first, **last;  /* its queries that wait for the rest of the fabric */
	struct node *next_with_queue; /* the next in branches.with_queue */
	bool has_queue;
};

struct branches {
	size_t open;		 /* queries of the whole fabric that have no outcome yet */
	struct node *with_queue; /* a list of the branches whose queries may be waiting */
};

/* Adds a new node, which @query has found. */
void branch_add(struct node *node, const struct query *query);

/*
 * `branch_open` counts @query as open, from when it is made until `branch_close` is called for its
 * outcome.
 */
void branch_open(struct branches *branches, const struct query *query);
void branch_close(struct branches *branches, const struct query *query);

/* Returns the branch whose queue @query has to wait in, or NULL if it need not wait. */
struct node *branch_to_wait_in(const struct branches *branches, const struct madring_fabric *fabric,
			       const struct query *query);
void branch_wait(struct branches *branches, struct node *node, struct query *query);

/*
 * Takes a query out of the queue of a branch that need not wait any longer or, with @any, of any
 * branch. The query may still have to wait in the queue of another branch. Returns NULL when no
 * query can be taken.
 */
struct query *branch_take(struct branches *branches, const struct madring_fabric *fabric, bool any);

/*
 * Returns the smallest branch that holds more than half of all ports, and more than
 * BRANCH_FREE_PORTS; or NULL.
 */
struct node *branch_heaviest(const struct madring_fabric *fabric);

bool branch_has(const struct node *node, const struct query *query);

#endif
