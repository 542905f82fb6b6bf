/* SPDX-License-Identifier: BSD-2-Clause */
#include "view.h"

enum view_type view_type(const struct madring_node *node)
{
	switch (node->type) {
	case MADRING_NODE_SWITCH:
		return VIEW_SWITCH;
	case MADRING_NODE_CA:
		return VIEW_HCA;
	case MADRING_NODE_ROUTER:
		return VIEW_ROUTER;
	}
	return VIEW_HCA;
}

const char *view_type_word(enum view_type type)
{
	static const char *const words[VIEW_TYPES] = { "switch", "hca", "router" };

	return words[type];
}

const struct node_counters *view_node(const struct view *view, size_t index, enum view_type type)
{
	const struct node_counters *node = &view->collection->nodes[index];

	if (view_type(node->node) != type || !view->plan->wanted(view->plan->context, node->node))
		return NULL;
	return node;
}

bool view_has_series(const struct port_counters *port)
{
	return !port->twin;
}

uint64_t view_guid(const struct port_counters *port)
{
	return port->port->guid;
}
