/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "common/names.h"
#include "show.h"

static const char *type_text(enum madring_node_type type)
{
	switch (type) {
	case MADRING_NODE_SWITCH:
		return "Switch";
	case MADRING_NODE_CA:
		return "Channel Adapter";
	case MADRING_NODE_ROUTER:
		return "Router";
	}
	return "???";
}

void show_seen(void *context, const struct madring_sweep_seen *seen)
{
	const struct madring_node *node = seen->node;
	unsigned int number = node->type == MADRING_NODE_SWITCH ? 0 : seen->port;
	const struct madring_node_port *port = madring_node_port_by_number(node, number);
	char path[MADRING_ROUTE_TEXT_BYTES];

	(void)context;
	printf("DR path slid 0; dlid 0; %s -> %s %s {%016" PRIx64 "} portnum %u lid %u-%u ",
	       madring_route_text(seen->path, seen->hops, path), seen->is_new ? "new" : "known",
	       type_text(node->type), node->guid, number, port->lid,
	       port->lid + (1u << port->lmc) - 1);
	name_print(stdout, node->description, '"');
	putchar('\n');
}
