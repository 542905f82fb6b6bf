/* SPDX-License-Identifier: BSD-2-Clause */
/* What nodes and ports are now, for those who only look. */
#ifndef SIM_VIEW_H
#define SIM_VIEW_H

#include "fabric/fabric.h"

struct fabric_node_view {
	enum fabric_health health;
	uint64_t service, lateness; /* ns */
};

void fabric_view_node(const struct fabric *fabric, const struct topology_node *node,
		      struct fabric_node_view *view);

/* The port must be there. */
void fabric_view_port(const struct fabric *fabric, const struct topology_node *node,
		      unsigned int port, struct fabric_port_state *state);

/* As PortInfo has them; "?" for what is none. */
const char *fabric_port_state_name(uint8_t state);
const char *fabric_phys_state_name(uint8_t state);
const char *fabric_health_name(enum fabric_health health);

#endif
