/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

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

uint64_t view_guid(const struct port_counters *port)
{
	return port->port->guid;
}

void view_label_guid(struct exposition *page, const struct port_counters *port)
{
	char both[2 * sizeof("0x0123456789abcdef")];

	if (!port->twin) {
		exposition_label_guid(page, "guid", view_guid(port));
		return;
	}
	snprintf(both, sizeof(both), "0x%016" PRIx64 "/0x%016" PRIx64, view_guid(port),
		 port->node->node->guid);
	exposition_label(page, "guid", both);
}
