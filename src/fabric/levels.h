/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The levels of a discovery: how many hops lie between a query's node and the local one.
 *
 * Both switches of a cable would ask each other who is there, though one reply names both ends. So
 * the ports of a switch are asked only once all is answered that was asked from fewer hops away. By
 * then each cable that leads back is known, and need not be asked for again: see discovery.h. The
 * replies to NodeInfo, NodeDescription and SwitchInfo use the fabric meanwhile.
 *
 * A node that is slow or silent must not delay the others: `levels_hurry` ends the wait.
 */
#ifndef FABRIC_LEVELS_H
#define FABRIC_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

#include "directed_route.h"

struct query;

struct levels {
	size_t open[ROUTE_MAX_HOPS +
		    1]; /* queries without an outcome that deeper levels wait for */
	struct query *first[ROUTE_MAX_HOPS + 1], **last[ROUTE_MAX_HOPS + 1]; /* those that wait */
	size_t held;	     /* queries that wait, of all levels */
	unsigned int lowest; /* nothing is open below this level, but what was not waited for */
};

/*
 * `levels_open` counts @query, from when it is made until `levels_close` is called for its outcome,
 * if deeper levels wait for it.
 */
void levels_open(struct levels *levels, const struct query *query);
void levels_close(struct levels *levels, const struct query *query);

/* Keeps @query if it has to wait for other levels. Returns whether it does. */
bool levels_hold(struct levels *levels, struct query *query);

/* Moves the queries that need not wait any longer to the end of a queue. */
void levels_release(struct levels *levels, struct query ***last);

/* Returns how many open queries the nearest of those that wait wait for. 0: none waits. */
size_t levels_in_the_way(const struct levels *levels);

/* Moves the nearest queries that wait to the end of a queue, whatever they wait for. */
void levels_hurry(struct levels *levels, struct query ***last);

#endif
