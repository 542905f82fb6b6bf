/* SPDX-License-Identifier: BSD-2-Clause */
/* A link's widths and speeds: what the ends have enabled, by name, and what they agree on. */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "topology/topology.h"

/* Enables what a port has whose link has come up at so many lanes. False: no such width. */
bool link_set_width(struct topology_port *port, unsigned int lanes);

/* The same by the speed's name, such as "EDR", in any case. False: no such speed. */
bool link_set_speed(struct topology_port *port, const char *name);

/* Brings the link of two ports up. -EINVAL: they have no width or no speed in common. */
int link_agree(struct topology_port *a, struct topology_port *b);

#endif
