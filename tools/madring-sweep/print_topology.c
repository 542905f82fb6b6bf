/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the topology file, in ibnetdiscover's format. */
#include <inttypes.h>

#include "fabric/link_text.h"
#include "print.h"

void print_id(FILE *out, const struct node *node)
{
	fprintf(out, "\"%c-%016" PRIx64 "\"", node_type_letter(node->info.type),
		node->info.node_guid);
}

static void print_ids(FILE *out, const struct node *node)
{
	fprintf(out, "\nvendid=0x%x\n", node->info.vendor_id);
	fprintf(out, "devid=0x%x\n", node->info.device_id);
	if (node->info.system_guid)
		fprintf(out, "sysimgguid=0x%" PRIx64 "\n", node->info.system_guid);
}

static void print_link(FILE *out, const struct result *result, const struct port *port)
{
	fprintf(out, "lid %u %s%s", port_lid(port->peer), link_width_text(port->info.width),
		link_speed_text(port));
	if (result->options->full)
		fprintf(out, " s=%u w=%u v=%u", port->info.speed, port->info.width,
			port->info.vl_cap);
	fputc('\n', out);
}

static void print_switch_port(FILE *out, const struct result *result, const struct port *port)
{
	const struct port *peer = port->peer;

	fprintf(out, "[%u]\t", port->number);
	print_id(out, peer->node);
	fprintf(out, "[%u]", peer->number);
	if (peer->node->info.type != NODE_SWITCH)
		fprintf(out, "(%" PRIx64 ") ", peer->guid);
	fputs("\t\t# ", out);
	name_print(out, node_name(result->names, peer->node), '"');
	fputc(' ', out);
	print_link(out, result, port);
}

static void print_end_port(FILE *out, const struct result *result, const struct port *port)
{
	const struct port *peer = port->peer;

	fprintf(out, "[%u](%" PRIx64 ") \t", port->number, port->guid);
	print_id(out, peer->node);
	fprintf(out, "[%u]", peer->number);
	if (peer->node->info.type != NODE_SWITCH)
		fprintf(out, " (%" PRIx64 ") ", peer->guid);
	fprintf(out, "\t\t# lid %u lmc %u ", port->info.lid, port->info.lmc);
	name_print(out, node_name(result->names, peer->node), '"');
	fputc(' ', out);
	print_link(out, result, port);
}

static void print_switch(FILE *out, const struct result *result, const struct node *node)
{
	print_ids(out, node);
	fprintf(out, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\n", node->info.node_guid,
		node->info.port_guid);
	fprintf(out, "Switch\t%u ", node->info.port_count);
	print_id(out, node);
	fputs("\t\t# ", out);
	name_print(out, node_name(result->names, node), '"');
	fprintf(out, " %s port 0 lid %u lmc %u\n", node->enhanced_port0 ? "enhanced" : "base",
		node->port[0].info.lid, node->port[0].info.lmc);
}

/* Writes a channel adapter or router. Its own description stands here even where the map has a
   name, as in ibnetdiscover's output. */
static void print_end_node(FILE *out, const struct node *node)
{
	bool is_ca = node->info.type == NODE_CA;

	print_ids(out, node);
	fprintf(out, "%sguid=0x%" PRIx64 "\n", is_ca ? "ca" : "rt", node->info.node_guid);
	fprintf(out, "%s\t%u ", is_ca ? "Ca" : "Rt", node->info.port_count);
	print_id(out, node);
	fputs("\t\t# ", out);
	name_print(out, node->description, '"');
	fputc('\n', out);
}

static void print_node(FILE *out, const struct result *result, const struct node *node)
{
	bool is_switch = node->info.type == NODE_SWITCH;

	if (is_switch)
		print_switch(out, result, node);
	else
		print_end_node(out, node);
	for (unsigned int p = 1; p <= node->info.port_count; p++) {
		const struct port *port = &node->port[p];

		if (!port->peer)
			continue;
		if (is_switch)
			print_switch_port(out, result, port);
		else
			print_end_port(out, result, port);
	}
}

static void print_nodes(FILE *out, const struct result *result, enum node_type type)
{
	const struct fabric *fabric = result->fabric;

	for (size_t i = 0; i < fabric->node_count; i++)
		if (fabric->nodes[i]->info.type == type)
			print_node(out, result, fabric->nodes[i]);
}

static void print_head(FILE *out, const struct result *result)
{
	const struct node *root = result->fabric->root;
	char when[32];

	fprintf(out, "#\n# Topology file: generated on %s#\n", ctime_r(&result->finished, when));
	if (result->options->max_hops)
		fprintf(out, "# Reported max hops discovered: %u\n# Total MADs used: %" PRIu64 "\n",
			fabric_hops(result->fabric), result->stats.sent);
	if (root)
		fprintf(out, "# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
			root->info.node_guid, root->info.port_guid);
}

void print_topology(FILE *out, const struct result *result)
{
	print_head(out, result);
	print_nodes(out, result, NODE_SWITCH);
	print_nodes(out, result, NODE_CA);
	print_nodes(out, result, NODE_ROUTER);
}
