/* SPDX-License-Identifier: BSD-2-Clause */
/* The start of a node: the attributes that it has when it comes up. */
#ifndef SIM_NODE_START_H
#define SIM_NODE_START_H

#include "fabric/node.h"

/* node_setup fills in all nodes of a topology; @ports has room for the ports of all of them. */
void node_setup(struct node *nodes, struct port *ports, const struct topology *topology);

/*
 * node_restart makes a node as it is when it comes up: no LIDs, no tables, links down. Its ports
 * stay attached.
 */
void node_restart(struct node *node);

/* node_free frees what a node has come to hold, but not the node. */
void node_free(struct node *node);

#endif
