/* SPDX-License-Identifier: BSD-2-Clause */
/* The problems of a sweep: what it could not find out, and where. */
#ifndef FABRIC_PROBLEM_H
#define FABRIC_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "public.h"
#include "directed_route.h"
#include "node_attributes.h"

struct node;

struct problem {
	struct madring_problem public;
	/* These are .public.via, the way to the problem, and .public.node, of a conflict. */
	struct node *via, *node;
	char description[DESCRIPTION_BYTES + 1]; /* .public.description points to it */
};

struct problems {
	struct problem **list;
	size_t count, room;
	bool is_short;	      /* of memory: a problem is missing */
	struct problem spare; /* takes what that problem is given */
};

/*
 * Adds a problem. When memory is exhausted, it sets .is_short, and returns one that is not in the
 * list.
 */
struct problem *problem_add(struct problems *problems, enum madring_problem_kind kind);
void problems_free(struct problems *problems);

/* Fills @route with the route to a problem; it is canonical once the nodes are ordered. */
void problem_route(const struct problem *problem, struct route *route);

/* Sorts the problems by route, attribute and modifier, after order_nodes(). */
void problems_order(struct problems *problems);

/* Sets the way to a problem: to @via (NULL: the local node), and out by @exit (0: that node
 * itself). */
void problem_set_way(struct problem *problem, struct node *via, uint8_t exit);

/* Sets the route of a problem, which is that of its way. Call it when the nodes are ordered. */
void problem_set_route(struct problem *problem);

#endif
