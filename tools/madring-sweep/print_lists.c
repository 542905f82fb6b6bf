/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the list of nodes and the report of ports, in ibnetdiscover's formats. */
#include <inttypes.h>

#include "fabric/link_text.h"
#include "print.h"

static const char *list_word(enum node_type type)
{
	switch (type) {
	case NODE_SWITCH:
		return "Switch";
	case NODE_CA:
		return "Ca";
	case NODE_ROUTER:
		return "Router";
	}
	return "???";
}

static void list_type(FILE *out, const struct result *result, enum node_type type)
{
	const struct fabric *fabric = result->fabric;

	if (!(result->options->list_types & 1u << type))
		return;
	for (size_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = fabric->nodes[i];

		if (node->info.type != type)
			continue;
		fprintf(out, "%s\t : 0x%016" PRIx64 " ports %u devid 0x%x vendid 0x%x ",
			list_word(type), node->info.node_guid, node->info.port_count,
			node->info.device_id, node->info.vendor_id);
		name_print(out, node_name(result->names, node), '"');
		fputc('\n', out);
	}
}

void print_list(FILE *out, const struct result *result)
{
	list_type(out, result, NODE_CA);
	list_type(out, result, NODE_SWITCH);
	list_type(out, result, NODE_ROUTER);
}

/* Returns the text of a port's width. A switch whose port 0 is not known has no width either:
   ibnetdiscover shows neither. */
static const char *width_text(const struct port *port)
{
	const struct node *node = port->node;

	if (node->info.type == NODE_SWITCH && !node->port[0].known)
		return "??";
	return link_width_text(port->info.width);
}

static void print_end(FILE *out, const struct port *port)
{
	fprintf(out, "%2s %5u %2u 0x%016" PRIx64, node_type_short(port->node->info.type),
		port_lid(port), port->number, port->guid);
}

static void print_port(FILE *out, const struct result *result, const struct port *port)
{
	const char *name = node_name(result->names, port->node);

	print_end(out, port);
	fprintf(out, " %s %s", width_text(port), link_speed_text(port));
	if (!port->peer) {
		fprintf(out, "%36s", "");
		name_print(out, name, '\'');
		fputc('\n', out);
		return;
	}
	fputs(" - ", out);
	print_end(out, port->peer);
	fputs(" ( ", out);
	name_print(out, name, '\'');
	fputs(" - ", out);
	name_print(out, node_name(result->names, port->peer->node), '\'');
	fputs(" )\n", out);
}

void print_ports(FILE *out, const struct result *result)
{
	const struct fabric *fabric = result->fabric;

	for (size_t i = 0; i < fabric->node_count; i++) {
		const struct node *node = fabric->nodes[i];

		for (unsigned int p = node->info.port_count; p > 0; p--)
			if (node->port[p].found)
				print_port(out, result, &node->port[p]);
	}
}
