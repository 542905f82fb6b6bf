/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a difference of two fabrics in words. */
#include <inttypes.h>
#include <stdio.h>

#include "public.h"

/* The bytes of a node as text: its description has up to 64, and in a file these may be UTF-8. */
#define NODE_TEXT_BYTES 128

static const char *node_text(const struct madring_node *node, char text[NODE_TEXT_BYTES])
{
	snprintf(text, NODE_TEXT_BYTES, "%s 0x%016" PRIx64 " \"%s\"",
		 madring_node_type_text(node->type), node->guid, node->description);
	return text;
}

static void write_link(const struct madring_node_port *end, const char *what,
		       char text[MADRING_DIFFERENCE_TEXT_BYTES])
{
	char from[NODE_TEXT_BYTES], to[NODE_TEXT_BYTES];

	snprintf(text, MADRING_DIFFERENCE_TEXT_BYTES, "link from %s port %u to %s port %u %s",
		 node_text(end->node, from), end->number, node_text(end->peer->node, to),
		 end->peer->number, what);
}

const char *madring_difference_text(const struct madring_difference *difference,
				    char text[MADRING_DIFFERENCE_TEXT_BYTES])
{
	char node[NODE_TEXT_BYTES], port[16] = "";

	text[0] = '\0';
	switch (difference->kind) {
	case MADRING_DIFFERENCE_NODE_GONE:
		snprintf(text, MADRING_DIFFERENCE_TEXT_BYTES, "%s is gone",
			 node_text(difference->old_node, node));
		break;
	case MADRING_DIFFERENCE_NODE_ADDED:
		snprintf(text, MADRING_DIFFERENCE_TEXT_BYTES, "%s is new",
			 node_text(difference->node, node));
		break;
	case MADRING_DIFFERENCE_PORT_CHANGED:
		snprintf(port, sizeof(port), " port %u", difference->port->number);
		/* fallthrough */
	case MADRING_DIFFERENCE_NODE_CHANGED:
		snprintf(text, MADRING_DIFFERENCE_TEXT_BYTES, "%s%s: %s %s, was %s",
			 node_text(difference->node, node), port, difference->change_name,
			 difference->value, difference->old_value);
		break;
	case MADRING_DIFFERENCE_LINK_GONE:
		write_link(difference->old_port, "is gone", text);
		break;
	case MADRING_DIFFERENCE_LINK_ADDED:
		write_link(difference->port, "is new", text);
		break;
	}
	return text;
}

const char *madring_difference_name(enum madring_difference_kind kind)
{
	switch (kind) {
	case MADRING_DIFFERENCE_NODE_GONE:
		return "node_gone";
	case MADRING_DIFFERENCE_NODE_ADDED:
		return "node_added";
	case MADRING_DIFFERENCE_NODE_CHANGED:
		return "node_changed";
	case MADRING_DIFFERENCE_PORT_CHANGED:
		return "port_changed";
	case MADRING_DIFFERENCE_LINK_GONE:
		return "link_gone";
	case MADRING_DIFFERENCE_LINK_ADDED:
		return "link_added";
	}
	return "unknown";
}
