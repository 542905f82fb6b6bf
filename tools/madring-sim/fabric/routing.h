/* SPDX-License-Identifier: BSD-2-Clause */
/* The work of a subnet manager on a fabric, done at once. */
#ifndef SIM_ROUTING_H
#define SIM_ROUTING_H

#include "fabric/fabric.h"

/*
 * fabric_route configures the subnet of @port (0 on a switch) of @node. It gives a LID with an LMC
 * of 0 to each port, activates the links, and fills the linear forwarding tables with shortest
 * routes, spread evenly over ports that are equally near. A LID that the topology came with stays,
 * unless two ports have it. The ports name @port's LID as their SM's; no manager runs there.
 *
 * Returns 0, -EINVAL (no such port), -ENOSPC (more ports than LIDs) or -ENOMEM.
 */
int fabric_route(struct fabric *fabric, const struct topology_node *node, unsigned int port);

#endif
