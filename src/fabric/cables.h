/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cables: which ports are joined, from what answered at the end of which port.
 *
 * A GUID tells which node answered, and two nodes may wrongly have the same one. But a cable has
 * two ends: when one port reaches another that in turn reaches a third, the first reached another
 * node with that GUID. This is judged when all has been asked, so that the verdict does not depend
 * on which reply came first.
 */
#ifndef FABRIC_CABLES_H
#define FABRIC_CABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "graph.h"

struct discovery;
struct query;

/* Notes that @port answered at the other end of the cable at @from. */
void cable_reaches(struct port *from, struct port *port);

/*
 * `cable_way_back` returns the port at the far end by which a query for a port's PortInfo comes
 * back to that port's node, over the cable, or 0 if it has to go straight: nothing is known of a
 * far end, or that is no switch, or the route is too long, or nodes send no queries back.
 */
uint8_t cable_way_back(const struct discovery *discovery, const struct query *query);

/*
 * Returns whether the reply to a query that went over a cable and back names both of its ports in
 * the return path. Else the port leads to another far end, and any node has answered.
 */
bool cable_returned(const struct query *query, const void *mad, size_t length);

/* Joins a port to the port that it reaches. Returns NULL, or why that cannot be. */
const char *cable_settle(struct port *from);

#endif
