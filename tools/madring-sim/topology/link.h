/* SPDX-License-Identifier: BSD-2-Clause */
/* A link's widths and speeds: what the ends have enabled, by name, and what they agree on. */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "topology/topology.h"

/*
 * link_set_width enables what a port has whose link came up at so many lanes. Returns false if
 * there is no such width.
 */
bool link_set_width(struct topology_port *port, unsigned int lanes);

/*
 * link_set_speed enables a speed by its name, such as "EDR", in any case. Returns false if there is
 * no such speed.
 */
bool link_set_speed(struct topology_port *port, const char *name);

/* link_agree brings a link up. Returns 0, or -EINVAL: no width or no speed in common. */
int link_agree(struct topology_port *a, struct topology_port *b);

#endif
