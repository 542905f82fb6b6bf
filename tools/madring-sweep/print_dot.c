/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the fabric as an undirected graph for Graphviz: a line for each node, and for each
   cable. */
#include "fabric/link_text.h"
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

static void print_node(FILE *out, const struct result *result, const struct node *node)
{
	fputc('\t', out);
	print_id(out, node);
	fputs(" [label=", out);
	print_quoted(out, node_name(result->names, node));
	fprintf(out, ", shape=%s];\n", node->info.type == NODE_SWITCH ? "box" : "ellipse");
}

static void print_cable(FILE *out, const struct port *port)
{
	fputc('\t', out);
	print_id(out, port->node);
	fputs(" -- ", out);
	print_id(out, port->peer->node);
	fprintf(out, " [taillabel=\"%u\", headlabel=\"%u\", label=\"%s%s\"];\n", port->number,
		port->peer->number, link_width_text(port->info.width), link_speed_text(port));
}

static void print_cables(FILE *out, const struct node *node)
{
	for (unsigned int p = 1; p <= node->info.port_count; p++)
		if (node->port[p].peer && port_is_first_end(&node->port[p]))
			print_cable(out, &node->port[p]);
}

void print_dot(FILE *out, const struct result *result)
{
	const struct fabric *fabric = result->fabric;

	fputs("graph fabric {\n", out);
	for (size_t i = 0; i < fabric->node_count; i++)
		print_node(out, result, fabric->nodes[i]);
	for (size_t i = 0; i < fabric->node_count; i++)
		print_cables(out, fabric->nodes[i]);
	fputs("}\n", out);
}
