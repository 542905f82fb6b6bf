/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the topology file, in ibnetdiscover's format. */
#include <inttypes.h>

#include "print.h"

/* Returns the letter with which the names of nodes in the topology file begin. */
static char type_letter(enum madring_node_type type)
{
	switch (type) {
	case MADRING_NODE_SWITCH:
		return 'S';
	case MADRING_NODE_CA:
		return 'H';
	case MADRING_NODE_ROUTER:
		return 'R';
	}
	return '?';
}

void print_id(FILE *out, const struct madring_node *node)
{
	fprintf(out, "\"%c-%016" PRIx64 "\"", type_letter(node->type), node->guid);
}

static void print_ids(FILE *out, const struct madring_node *node)
{
	fprintf(out, "\nvendid=0x%x\n", node->vendor_id);
	fprintf(out, "devid=0x%x\n", node->device_id);
	if (node->system_guid)
		fprintf(out, "sysimgguid=0x%" PRIx64 "\n", node->system_guid);
}

static void print_link(FILE *out, const struct result *result, const struct madring_node_port *port)
{
	fprintf(out, "lid %u %s%s", port->peer->lid, madring_link_width_text(port->width),
		madring_link_speed_text(port));
	if (result->options->full)
		fprintf(out, " s=%u w=%u v=%u", port->speed, port->width, port->vl_cap);
	fputc('\n', out);
}

static void print_switch_port(FILE *out, const struct result *result,
			      const struct madring_node_port *port)
{
	const struct madring_node_port *peer = port->peer;

	fprintf(out, "[%u]\t", port->number);
	print_id(out, peer->node);
	fprintf(out, "[%u]", peer->number);
	if (peer->node->type != MADRING_NODE_SWITCH)
		fprintf(out, "(%" PRIx64 ") ", peer->guid);
	fputs("\t\t# ", out);
	node_name_print(out, result->names, peer->node, '"');
	fputc(' ', out);
	print_link(out, result, port);
}

static void print_end_port(FILE *out, const struct result *result,
			   const struct madring_node_port *port)
{
	const struct madring_node_port *peer = port->peer;

	fprintf(out, "[%u](%" PRIx64 ") \t", port->number, port->guid);
	print_id(out, peer->node);
	fprintf(out, "[%u]", peer->number);
	if (peer->node->type != MADRING_NODE_SWITCH)
		fprintf(out, " (%" PRIx64 ") ", peer->guid);
	fprintf(out, "\t\t# lid %u lmc %u ", port->lid, port->lmc);
	node_name_print(out, result->names, peer->node, '"');
	fputc(' ', out);
	print_link(out, result, port);
}

static void print_switch(FILE *out, const struct result *result, const struct madring_node *node)
{
	print_ids(out, node);
	fprintf(out, "switchguid=0x%" PRIx64 "(%" PRIx64 ")\n", node->guid, node->port_guid);
	fprintf(out, "Switch\t%u ", node->port_count);
	print_id(out, node);
	fputs("\t\t# ", out);
	node_name_print(out, result->names, node, '"');
	fprintf(out, " %s port 0 lid %u lmc %u\n", node->enhanced_port0 ? "enhanced" : "base",
		madring_node_port_by_number(node, 0)->lid,
		madring_node_port_by_number(node, 0)->lmc);
}

/*
 * Writes a channel adapter or router. Its own description stands here even where the map has a
 * name, as in ibnetdiscover's output.
 */
static void print_end_node(FILE *out, const struct madring_node *node)
{
	bool is_ca = node->type == MADRING_NODE_CA;

	print_ids(out, node);
	fprintf(out, "%sguid=0x%" PRIx64 "\n", is_ca ? "ca" : "rt", node->guid);
	fprintf(out, "%s\t%u ", is_ca ? "Ca" : "Rt", node->port_count);
	print_id(out, node);
	fputs("\t\t# ", out);
	node_name_print(out, NULL, node, '"');
	fputc('\n', out);
}

static void print_node(FILE *out, const struct result *result, const struct madring_node *node)
{
	bool is_switch = node->type == MADRING_NODE_SWITCH;

	if (is_switch)
		print_switch(out, result, node);
	else
		print_end_node(out, node);
	for (unsigned int p = 1; p <= node->port_count; p++) {
		const struct madring_node_port *port = madring_node_port_by_number(node, p);

		if (!port->peer)
			continue;
		if (is_switch)
			print_switch_port(out, result, port);
		else
			print_end_port(out, result, port);
	}
}

static void print_nodes(FILE *out, const struct result *result, enum madring_node_type type)
{
	const struct madring_fabric *fabric = result->fabric;

	for (size_t i = 0; i < madring_fabric_node_count(fabric); i++)
		if (madring_fabric_node(fabric, i)->type == type)
			print_node(out, result, madring_fabric_node(fabric, i));
}

static void print_head(FILE *out, const struct result *result)
{
	const struct madring_node_port *local = madring_fabric_local_port(result->fabric);
	struct madring_fabric_counts counts;
	char when[32];

	madring_fabric_get_counts(result->fabric, &counts);
	fprintf(out, "#\n# Topology file: generated on %s#\n", ctime_r(&result->finished, when));
	if (result->options->max_hops)
		fprintf(out, "# Reported max hops discovered: %u\n# Total MADs used: %" PRIu64 "\n",
			counts.hops, result->stats.sent);
	if (local)
		fprintf(out, "# Initiated from node %016" PRIx64 " port %016" PRIx64 "\n",
			local->node->guid, local->node->port_guid);
}

void print_topology(FILE *out, const struct result *result)
{
	print_head(out, result);
	print_nodes(out, result, MADRING_NODE_SWITCH);
	print_nodes(out, result, MADRING_NODE_CA);
	print_nodes(out, result, MADRING_NODE_ROUTER);
}
