/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "order.h"

struct order {
	struct madring_fabric *fabric;
	struct node **nodes;
	size_t count; /* placed */
	size_t next;  /* whose neighbours are placed next */
};

static void place_node(struct order *order, struct node *node)
{
	node->placed = true;
	order->nodes[order->count++] = node;
}

/*
 * Gives a node the route that ends at one of its ports. If that is too long, the node keeps the one
 * on which it was found.
 */
static void enter_by(const struct node *from, const struct port *exit)
{
	const struct port *entry = exit->peer;
	struct node *node = entry->node;
	struct route route = node_route(from);

	if (!route_extend(&route, &route, exit->public.number))
		return;
	node_set_route(node, &route);
	node->public.entry = entry->public.number;
	node->public.port_guid = entry->public.guid;
}

static void place_neighbours(struct order *order, struct node *node)
{
	for (unsigned int p = 1; p <= node->public.port_count; p++) {
		struct port *port = &node->port[p];

		if (!port->peer || port->peer->node->placed || !port_leads_on(order->fabric, port))
			continue;
		enter_by(node, port);
		place_node(order, port->peer->node);
	}
}

static void place_from(struct order *order, struct node *node)
{
	if (node->placed)
		return;
	place_node(order, node);
	while (order->next < order->count)
		place_neighbours(order, order->nodes[order->next++]);
}

static int by_route(const void *a, const void *b)
{
	const struct node *const *left = a, *const *right = b;
	const struct route left_route = node_route(*left), right_route = node_route(*right);

	return route_compare(&left_route, &right_route);
}

int order_nodes(struct madring_fabric *fabric)
{
	struct order order = { .fabric = fabric };

	if (!fabric->root)
		return 0;
	order.nodes = calloc(fabric->node_count, sizeof(struct node *));
	if (!order.nodes)
		return -ENOMEM;
	place_from(&order, fabric->root);
	if (order.count < fabric->node_count) {
		qsort(fabric->nodes, fabric->node_count, sizeof(struct node *), by_route);
		for (size_t i = 0; i < fabric->node_count; i++)
			place_from(&order, fabric->nodes[i]);
	}
	free(fabric->nodes);
	fabric->nodes = order.nodes;
	fabric->node_room = fabric->node_count;
	return 0;
}
