/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of nodes: the same for the same fabric, whatever came back first. */
#ifndef FABRIC_ORDER_H
#define FABRIC_ORDER_H

#include "graph.h"

/*
 * Puts the nodes in breadth-first order from the local port, by port number, and gives each the
 * route of that order: the shortest, and of those the lowest. A node's .entry and the PortGUID of
 * its NodeInfo become those of the port at the end of that route. Nodes that no cable leads to (see
 * discovery.h on conflicts) follow by the route on which they were found. Returns 0, or -ENOMEM.
 */
int order_nodes(struct madring_fabric *fabric);

#endif
