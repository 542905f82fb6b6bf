/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_NODE_TYPE_H
#define SIM_NODE_TYPE_H

#include "topology/topology.h"

static inline const char *node_type_name(enum node_type type)
{
	if (type == NODE_SWITCH)
		return "switch";
	return type == NODE_ROUTER ? "router" : "ca";
}

#endif
