/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Branches: a node with all that was first found through it. They keep one node from taking the
 * whole sweep, by inventing a switch behind each port, and one behind each port of these.
 *
 * A real fabric has large branches, too: all of it may be behind one cable. So a branch is never
 * cut for its size alone. But as long as it holds more than half of all ports, its queries wait for
 * those of the rest of the fabric to be answered: the rest is found first, and in a room of twice
 * what a real fabric needs (FABRIC_MAX_NODES, FABRIC_MAX_PORTS) it is found whole. A real branch
 * that waits loses nothing but some time, and only beyond BRANCH_FREE_PORTS. Only one branch can be
 * so large, with those that it is part of: two nodes that invent others in different places are
 * found as fast as the rest, within the limits of all.
 *
 * Ports are counted rather than nodes, because each costs a query, and memory.
 */
#ifndef DISCOVERY_BRANCH_H
#define DISCOVERY_BRANCH_H

#include <stdbool.h>
#include <stddef.h>

struct fabric;
struct node;
struct query;

/* Below this, no branch waits: some 1,600 switches of 40 ports. */
#define BRANCH_FREE_PORTS 65536u

struct branch {
	struct node *parent;	      /* through which the node was found; NULL: the local node */
	size_t held;		      /* ports of its nodes */
	size_t open;		      /* its queries that have no outcome yet */
	struct query *first, **last;  /* its queries that wait for the rest of the fabric */
	struct node *next_with_queue; /* of struct branches */
	bool has_queue;
};

struct branches {
	size_t open;		 /* queries of the whole fabric that have no outcome yet */
	struct node *with_queue; /* a list of those whose queries may be waiting */
};

/* Adds a new node, found by @query. */
void branch_add(struct node *node, const struct query *query);

/* Count @query, from when it is made until its outcome is there. */
void branch_open(struct branches *branches, const struct query *query);
void branch_close(struct branches *branches, const struct query *query);

/* Returns the branch whose queue @query has to wait in, or NULL: it need not wait. */
struct node *branch_to_wait_in(const struct branches *branches, const struct fabric *fabric,
			       const struct query *query);
void branch_wait(struct branches *branches, struct node *node, struct query *query);

/*
 * Takes a query out of the queue of a branch that need not wait any longer; it may have to wait in
 * that of another one. @any: of any branch. NULL: there is none.
 */
struct query *branch_take(struct branches *branches, const struct fabric *fabric, bool any);

/* The smallest branch that holds more than half of all ports, and may have to wait; NULL. */
struct node *branch_heaviest(const struct fabric *fabric);

bool branch_has(const struct node *node, const struct query *query);

#endif
