/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a fabric as JSON, node by node. */
#include <errno.h>

#include "public.h"
#include "json/json_line.h"
#include "switch_info.h"

static void write_end(struct json_line *line, const char *key, const struct madring_node_port *end)
{
	if (!end) {
		json_line_null(line, key);
		return;
	}
	json_line_open(line, key, '{');
	json_line_guid(line, "node_guid", end->node->guid);
	json_line_number(line, "port", end->number);
	json_line_close(line, '}');
}

static void write_port(struct json_line *line, const struct madring_node_port *port)
{
	json_line_open(line, NULL, '{');
	json_line_number(line, "port", port->number);
	json_line_guid(line, "guid", port->guid);
	json_line_flag(line, "known", port->known);
	json_line_number(line, "lid", port->lid);
	json_line_number(line, "lmc", port->lmc);
	json_line_number(line, "state", port->state);
	json_line_number(line, "physical_state", port->physical_state);
	json_line_text(line, "width", madring_link_width_text(port->width));
	json_line_text(line, "speed", madring_link_speed_text(port));
	json_line_number(line, "vl_cap", port->vl_cap);
	write_end(line, "peer", port->peer);
	json_line_close(line, '}');
}

static void write_path(struct json_line *line, const struct madring_node *node)
{
	json_line_open(line, "path", '[');
	for (unsigned int hop = 0; hop <= node->hops; hop++)
		json_line_number(line, NULL, hop ? node->path[hop] : 0);
	json_line_close(line, ']');
}

static void write_ports(struct json_line *line, const struct madring_node *node)
{
	json_line_open(line, "ports", '[');
	for (unsigned int p = 0; p <= node->port_count; p++)
		if (madring_node_port_by_number(node, p)->found)
			write_port(line, madring_node_port_by_number(node, p));
	json_line_close(line, ']');
}

static void write_switch_info(struct json_line *line, const struct madring_node *node)
{
	struct madring_switch_info info;

	if (madring_node_get_switch_info(node, &info))
		json_line_null(line, "switch_info");
	else
		switch_info_write(line, "switch_info", &info);
}

static void write_node(struct json_line *line, const struct madring_node *node, const char *name)
{
	json_line_open(line, NULL, '{');
	json_line_guid(line, "guid", node->guid);
	json_line_text(line, "type", madring_node_type_text(node->type));
	json_line_text(line, "description", node->description);
	json_line_text(line, "name", name);
	json_line_guid(line, "system_image_guid", node->system_guid);
	json_line_guid(line, "port_guid", node->port_guid);
	json_line_number(line, "vendor_id", node->vendor_id);
	json_line_number(line, "device_id", node->device_id);
	json_line_number(line, "revision", node->revision);
	json_line_number(line, "port_count", node->port_count);
	if (node->type == MADRING_NODE_SWITCH)
		json_line_flag(line, "enhanced_port0", node->enhanced_port0);
	if (node->type == MADRING_NODE_SWITCH)
		write_switch_info(line, node);
	write_path(line, node);
	write_ports(line, node);
	json_line_close(line, '}');
}

int madring_fabric_save_nodes(const struct madring_fabric *fabric, FILE *out,
			      const char *(*name)(void *user, const struct madring_node *node),
			      void *user)
{
	size_t count = madring_fabric_node_count(fabric);
	struct json_line line;

	json_line_start(&line, out);
	fputc('[', out);
	for (size_t i = 0; i < count; i++) {
		const struct madring_node *node = madring_fabric_node(fabric, i);

		fputs(i ? ",\n    " : "\n    ", out);
		write_node(&line, node, name ? name(user, node) : node->description);
		json_line_end(&line);
	}
	fputs(count ? "\n  ]" : "]", out);
	return ferror(out) ? -EIO : 0;
}

int madring_fabric_save(const struct madring_fabric *fabric, FILE *out)
{
	struct json_line line;

	fputs("{\n  \"local\": ", out);
	json_line_start(&line, out);
	write_end(&line, NULL, madring_fabric_local_port(fabric));
	json_line_end(&line);
	fputs(",\n  \"nodes\": ", out);
	madring_fabric_save_nodes(fabric, out, NULL, NULL);
	fputs("\n}\n", out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
