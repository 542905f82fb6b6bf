/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the fabric as an undirected graph for Graphviz: a line for each node, and for each
 * cable.
 */
#include "print.h"

static void print_quoted(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void print_node(FILE *out, const struct result *result, const struct madring_node *node)
{
	fputc('\t', out);
	print_id(out, node);
	fputs(" [label=", out);
	print_quoted(out, node_name(result->names, node));
	fprintf(out, ", shape=%s];\n", node->type == MADRING_NODE_SWITCH ? "box" : "ellipse");
}

/* Returns whether a list that has each cable once has it at this end: that with the lower GUID. */
static bool is_first_end(const struct madring_node_port *port)
{
	uint64_t guid = port->node->guid, peer_guid = port->peer->node->guid;

	if (guid != peer_guid)
		return guid < peer_guid;
	return port->number <= port->peer->number;
}

static void print_cable(FILE *out, const struct madring_node_port *port)
{
	fputc('\t', out);
	print_id(out, port->node);
	fputs(" -- ", out);
	print_id(out, port->peer->node);
	fprintf(out, " [taillabel=\"%u\", headlabel=\"%u\", label=\"%s%s\"];\n", port->number,
		port->peer->number, madring_link_width_text(port->width),
		madring_link_speed_text(port));
}

static void print_cables(FILE *out, const struct madring_node *node)
{
	for (unsigned int p = 1; p <= node->port_count; p++) {
		const struct madring_node_port *port = madring_node_port_by_number(node, p);

		if (port->peer && is_first_end(port))
			print_cable(out, port);
	}
}

void print_dot(FILE *out, const struct result *result)
{
	const struct madring_fabric *fabric = result->fabric;

	fputs("graph fabric {\n", out);
	for (size_t i = 0; i < madring_fabric_node_count(fabric); i++)
		print_node(out, result, madring_fabric_node(fabric, i));
	for (size_t i = 0; i < madring_fabric_node_count(fabric); i++)
		print_cables(out, madring_fabric_node(fabric, i));
	fputs("}\n", out);
}
