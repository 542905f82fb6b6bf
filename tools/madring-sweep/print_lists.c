/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the list of nodes and the report of ports, in ibnetdiscover's formats. */
#include <inttypes.h>

#include "print.h"

static const char *list_word(enum madring_node_type type)
{
	switch (type) {
	case MADRING_NODE_SWITCH:
		return "Switch";
	case MADRING_NODE_CA:
		return "Ca";
	case MADRING_NODE_ROUTER:
		return "Router";
	}
	return "???";
}

static void list_type(FILE *out, const struct result *result, enum madring_node_type type)
{
	const struct madring_fabric *fabric = result->fabric;

	if (!(result->options->list_types & 1u << type))
		return;
	for (size_t i = 0; i < madring_fabric_node_count(fabric); i++) {
		const struct madring_node *node = madring_fabric_node(fabric, i);

		if (node->type != type)
			continue;
		fprintf(out, "%s\t : 0x%016" PRIx64 " ports %u devid 0x%x vendid 0x%x ",
			list_word(type), node->guid, node->port_count, node->device_id,
			node->vendor_id);
		node_name_print(out, result->names, node, '"');
		fputc('\n', out);
	}
}

void print_list(FILE *out, const struct result *result)
{
	list_type(out, result, MADRING_NODE_CA);
	list_type(out, result, MADRING_NODE_SWITCH);
	list_type(out, result, MADRING_NODE_ROUTER);
}

/*
 * Returns the text of a port's width. A switch whose port 0 is not known has no width either:
 * ibnetdiscover shows neither.
 */
static const char *width_text(const struct madring_node_port *port)
{
	const struct madring_node *node = port->node;

	if (node->type == MADRING_NODE_SWITCH && !madring_node_port_by_number(node, 0)->known)
		return "??";
	return madring_link_width_text(port->width);
}

static const char *type_text(enum madring_node_type type)
{
	switch (type) {
	case MADRING_NODE_SWITCH:
		return "SW";
	case MADRING_NODE_CA:
		return "CA";
	case MADRING_NODE_ROUTER:
		return "RT";
	}
	return "??";
}

static void print_end(FILE *out, const struct madring_node_port *port)
{
	fprintf(out, "%2s %5u %2u 0x%016" PRIx64, type_text(port->node->type), port->lid,
		port->number, port->guid);
}

static void print_port(FILE *out, const struct result *result, const struct madring_node_port *port)
{
	const struct names *names = result->names;

	print_end(out, port);
	fprintf(out, " %s %s", width_text(port), madring_link_speed_text(port));
	if (!port->peer) {
		fprintf(out, "%36s", "");
		node_name_print(out, names, port->node, '\'');
		fputc('\n', out);
		return;
	}
	fputs(" - ", out);
	print_end(out, port->peer);
	fputs(" ( ", out);
	node_name_print(out, names, port->node, '\'');
	fputs(" - ", out);
	node_name_print(out, names, port->peer->node, '\'');
	fputs(" )\n", out);
}

void print_ports(FILE *out, const struct result *result)
{
	const struct madring_fabric *fabric = result->fabric;

	for (size_t i = 0; i < madring_fabric_node_count(fabric); i++) {
		const struct madring_node *node = madring_fabric_node(fabric, i);

		for (unsigned int p = node->port_count; p > 0; p--)
			if (madring_node_port_by_number(node, p)->found)
				print_port(out, result, madring_node_port_by_number(node, p));
	}
}
