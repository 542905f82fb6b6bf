/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What ibnetdiscover writes behind the '#' of a node's or a port's line, and ibsim reads
 * there: the description, the LIDs, and the link's width and speed.
 */
#ifndef SIM_NETDISCOVER_H
#define SIM_NETDISCOVER_H

#include "topology/topology.h"

/* @text starts at the '#', or is empty. 0, -EINVAL (a number out of range) or -ENOMEM. */
int netdiscover_node(struct topology_node *node, char *text);

/* The same for a port's line. */
int netdiscover_port(struct topology_node *node, unsigned int port, const char *text);

#endif
