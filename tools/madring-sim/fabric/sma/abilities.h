/* SPDX-License-Identifier: BSD-2-Clause */
/* What a device is able to do beyond the standard, by who made it. */
#ifndef SIM_ABILITIES_H
#define SIM_ABILITIES_H

#include "topology/topology.h"

/* Mellanox' own ExtendedPortInfo. */
bool device_has_ext_port_info(const struct topology_node *node);

/* One Set of a switch's SLtoVL table for many of its ports. */
bool device_maps_many_ports(const struct topology_node *node);

#endif
