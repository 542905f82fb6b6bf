/* SPDX-License-Identifier: BSD-2-Clause */
/* A fabric as a subnet manager leaves it, without one having been there. */
#ifndef SIM_ROUTING_H
#define SIM_ROUTING_H

#include "fabric/fabric.h"

/*
 * Gives each port that a manager at @port (0 on a switch) of @node can come to a LID, with an
 * LMC of 0; makes its links active, and fills the linear forwarding tables with shortest ways,
 * spread evenly over the ports that are equally near. LIDs that the topology came with stay
 * where no two ports have the same. Ports that are asked for their SM's LID say @port's; no
 * manager is there.
 * 0, -EINVAL (no such port), -ENOSPC (more ports than LIDs) or -ENOMEM.
 */
int fabric_route(struct fabric *fabric, const struct topology_node *node, unsigned int port);

#endif
