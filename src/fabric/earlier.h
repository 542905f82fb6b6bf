/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An earlier fabric, from which a discovery recalls what it need not ask again.
 *
 * The walk is the same with an earlier fabric as without: from the local node on, by each link. But
 * a query is answered from the earlier fabric at once, if neither the node that it goes to nor the
 * one at the other end of the link is to be looked at. So what is looked at is reached by every
 * link that it had, and by every one that it has now.
 *
 * The links on the way to a node that was asked may be recalled, and be gone. So each of them is
 * proved at the end by one NodeInfo. If another node answers, or none, or if links contradict each
 * other, the earlier fabric is not to be trusted: the result is doubtful, and the whole fabric has
 * to be discovered.
 */
#ifndef FABRIC_EARLIER_H
#define FABRIC_EARLIER_H

#include <stdbool.h>
#include <stddef.h>

#include "public.h"

struct discovery;
struct node;
struct port;
struct query;

struct earlier {
	const struct madring_fabric *fabric; /* NULL: there is none */
	bool *is_looked_at;		     /* by the places of its nodes */
	size_t recalled;		     /* queries answered from it */
	bool has_proved;		     /* the ways are being proved, or were */
	bool is_doubtful;
};

/*
 * Makes @fabric the earlier one. @nodes: those to be looked at, @count of them; NULL: all switches.
 * So are the nodes about which the earlier sweep had a problem. Returns 0, -EINVAL when one of
 * @nodes is of another fabric, or -ENOMEM.
 */
int earlier_open(struct earlier *earlier, const struct madring_fabric *fabric,
		 const struct madring_node *const *nodes, size_t count);
void earlier_close(struct earlier *earlier);

/* Finds a new node in the earlier fabric. @query led to it. */
void earlier_add(const struct earlier *earlier, struct node *node, const struct query *query);

/* Returns whether the reply to a query can be recalled. */
bool earlier_has(const struct discovery *discovery, const struct query *query);

/* Returns the port that answered NodeInfo by the same query earlier; earlier_has() was true. */
const struct port *earlier_far_end(const struct query *query);

/* Returns whether @from leads to @port now, while something else was recalled about @port. */
bool earlier_contradicts(const struct port *from, const struct port *port);

#endif
