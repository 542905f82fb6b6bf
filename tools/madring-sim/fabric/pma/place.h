/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PMA_PLACE_H
#define SIM_PMA_PLACE_H

#include "fabric/inside.h"

/* A port that a caller of the fabric names. NULL: there is none of that number. */
static inline struct port *place_port(const struct fabric *fabric,
				      const struct topology_node *topology_node,
				      unsigned int number)
{
	const struct node *node = &fabric->nodes[topology_node->index];

	if (number > node->port_count || (!number && node->type != NODE_SWITCH))
		return NULL;
	return &node->port[number];
}

#endif
