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

enum problem_kind {
	PROBLEM_NO_REPLY,  /* .error: -ETIMEDOUT, or why it could not be sent */
	PROBLEM_STATUS,	   /* .status: of the reply */
	PROBLEM_MALFORMED, /* .text: what is wrong with the reply */
	PROBLEM_LIMIT,	   /* .text: which */
	PROBLEM_CONFLICT,  /* two nodes with one GUID: .text says how they differ */
};

struct problem {
	struct madring_problem public; /* filled by problem_publish() */
	enum problem_kind kind;
	struct node *via; /* the way: to this node (NULL: the local one) */
	uint8_t exit;	  /* and out by this port; 0: that node itself */
	uint16_t attribute;
	uint32_t modifier;
	int error;
	uint16_t status;
	const char *text; /* constant */
	size_t left_out;  /* PROBLEM_LIMIT: nodes left out, each as often as it answered */
	/* The members below are those of a conflict. */
	struct node *node;			 /* the node with the same GUID that came first */
	char description[DESCRIPTION_BYTES + 1]; /* of the one that came second */
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
struct problem *problem_add(struct problems *problems, enum problem_kind kind);
void problems_free(struct problems *problems);

/* Fills @route with the route to a problem; it is canonical once the nodes are ordered. */
void problem_route(const struct problem *problem, struct route *route);

/* Sorts the problems by route, attribute and modifier, after order_nodes(). */
void problems_order(struct problems *problems);

/* Fills the public part of a problem from all else. */
void problem_publish(struct problem *problem);

/* Describes a problem as madring_problem_text() does. */
#define PROBLEM_TEXT_BYTES MADRING_PROBLEM_TEXT_BYTES
const char *problem_text(struct problem *problem, char text[PROBLEM_TEXT_BYTES]);

#endif
