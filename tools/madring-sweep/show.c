/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "fabric/discovery.h"
#include "common/names.h"
#include "show.h"

static const char *type_text(enum node_type type)
{
	switch (type) {
	case NODE_SWITCH:
		return "Switch";
	case NODE_CA:
		return "Channel Adapter";
	case NODE_ROUTER:
		return "Router";
	}
	return "???";
}

void show_seen(void *context, const struct query *query, const struct node *node, uint8_t port,
	       bool is_new)
{
	unsigned int number = node->info.type == NODE_SWITCH ? 0 : port;
	const struct port_info *info = &node->port[number].info;
	char path[ROUTE_TEXT_BYTES];
	struct route route;

	(void)context;
	query_route(query, &route);
	printf("DR path slid 0; dlid 0; %s -> %s %s {%016" PRIx64 "} portnum %u lid %u-%u ",
	       route_text(&route, path), is_new ? "new" : "known", type_text(node->info.type),
	       node->info.node_guid, number, info->lid, info->lid + (1u << info->lmc) - 1);
	name_print(stdout, node->description, '"');
	putchar('\n');
}
