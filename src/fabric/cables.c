/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include <madring.h>

#include "cables.h"
#include "discovery.h"

/*
 * Requests over a cable and back that may stay without a reply beyond as many as were answered.
 * With more of them, nodes seem not to send such requests on.
 */
#define MOST_LOST 8

#define SMP_RETURN_PATH 192 /* IBA 14.2.1.2; byte 0 is not used */

void cable_reaches(struct port *from, struct port *port)
{
	from->reaches = port;
	if (!port->reached_by)
		port->reached_by = from;
}

const char *cable_settle(struct port *from)
{
	struct port *port = from->reaches;
	/* The port that a port reaches itself is the best evidence, but not every port is asked. */
	const struct port *back = port->reaches ? port->reaches : port->reached_by;

	if (back != from)
		return "one port would have cables to two places";
	if (port->public.known && port->public.physical_state != PHYSICAL_STATE_LINK_UP)
		return "the port by which it answered is down there";
	from->peer = port;
	from->public.peer = &port->public;
	port->peer = from;
	port->public.peer = &from->public;
	return NULL;
}

uint8_t cable_way_back(const struct discovery *discovery, const struct query *query)
{
	const struct node *node = query->node;
	const struct port *port, *far;

	if (query->attribute != MADRING_ATTR_PORT_INFO || query->is_straight ||
	    query->modifier & PORT_INFO_EXTENDED_SPEEDS || !query->modifier ||
	    node->public.type != MADRING_NODE_SWITCH || query->modifier == node->public.entry)
		return 0;
	port = &node->port[query->modifier];
	far = port->reached_by;
	if (!far || far->reaches != port || far->node->public.type != MADRING_NODE_SWITCH ||
	    node->public.hops + 2u > ROUTE_MAX_HOPS ||
	    discovery->cables.lost > MOST_LOST + discovery->cables.proved)
		return 0;
	return far->public.number;
}

bool cable_returned(const struct query *query, const void *mad, size_t length)
{
	const uint8_t *return_path = (const uint8_t *)mad + SMP_RETURN_PATH;
	struct route route;

	query_route(query, &route);
	return length >= MADRING_MAD_BYTES && return_path[route.hops - 1] == query->back &&
	       return_path[route.hops] == query->modifier;
}
