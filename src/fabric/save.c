/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a fabric as JSON, node by node. */
#include <errno.h>

#include "public.h"
#include "json/json_write.h"
#include "switch_info.h"

static void write_end(struct json_writer *writer, const char *key,
		      const struct madring_node_port *end)
{
	if (!end) {
		json_write_null(writer, key);
		return;
	}
	json_write_open(writer, key, '{');
	json_write_guid(writer, "node_guid", end->node->guid);
	json_write_number(writer, "port", end->number);
	json_write_close(writer, '}');
}

static void write_port(struct json_writer *writer, const struct madring_node_port *port)
{
	json_write_open(writer, NULL, '{');
	json_write_number(writer, "port", port->number);
	json_write_guid(writer, "guid", port->guid);
	json_write_flag(writer, "known", port->known);
	json_write_number(writer, "lid", port->lid);
	json_write_number(writer, "lmc", port->lmc);
	json_write_number(writer, "state", port->state);
	json_write_number(writer, "physical_state", port->physical_state);
	json_write_text(writer, "width", madring_link_width_text(port->width));
	json_write_text(writer, "speed", madring_link_speed_text(port));
	json_write_number(writer, "vl_cap", port->vl_cap);
	write_end(writer, "peer", port->peer);
	json_write_close(writer, '}');
}

static void write_path(struct json_writer *writer, const struct madring_node *node)
{
	json_write_open(writer, "path", '[');
	for (unsigned int hop = 0; hop <= node->hops; hop++)
		json_write_number(writer, NULL, hop ? node->path[hop] : 0);
	json_write_close(writer, ']');
}

static void write_ports(struct json_writer *writer, const struct madring_node *node)
{
	json_write_open(writer, "ports", '[');
	for (unsigned int p = 0; p <= node->port_count; p++)
		if (madring_node_port_by_number(node, p)->found)
			write_port(writer, madring_node_port_by_number(node, p));
	json_write_close(writer, ']');
}

static void write_switch_info(struct json_writer *writer, const struct madring_node *node)
{
	struct madring_switch_info info;

	if (madring_node_get_switch_info(node, &info))
		json_write_null(writer, "switch_info");
	else
		switch_info_write(writer, "switch_info", &info);
}

static void write_node(struct json_writer *writer, const struct madring_node *node,
		       const char *name)
{
	json_write_open(writer, NULL, '{');
	json_write_guid(writer, "guid", node->guid);
	json_write_text(writer, "type", madring_node_type_text(node->type));
	json_write_text(writer, "description", node->description);
	json_write_text(writer, "name", name);
	json_write_guid(writer, "system_image_guid", node->system_guid);
	json_write_guid(writer, "port_guid", node->port_guid);
	json_write_number(writer, "vendor_id", node->vendor_id);
	json_write_number(writer, "device_id", node->device_id);
	json_write_number(writer, "revision", node->revision);
	json_write_number(writer, "port_count", node->port_count);
	if (node->type == MADRING_NODE_SWITCH)
		json_write_flag(writer, "enhanced_port0", node->enhanced_port0);
	if (node->type == MADRING_NODE_SWITCH)
		write_switch_info(writer, node);
	write_path(writer, node);
	write_ports(writer, node);
	json_write_close(writer, '}');
}

int madring_fabric_save_nodes(const struct madring_fabric *fabric, FILE *out,
			      const char *(*name)(void *user, const struct madring_node *node),
			      void *user)
{
	struct json_writer writer;

	json_write_start(&writer, out, JSON_ON_ONE_LINE);
	writer.margin = 1;
	json_write_open_lines(&writer, NULL, '[');
	for (size_t i = 0; i < madring_fabric_node_count(fabric); i++) {
		const struct madring_node *node = madring_fabric_node(fabric, i);

		write_node(&writer, node, name ? name(user, node) : node->description);
	}
	json_write_close(&writer, ']');
	json_write_flush(&writer);
	return ferror(out) ? -EIO : 0;
}

int madring_fabric_save(const struct madring_fabric *fabric, FILE *out)
{
	struct json_writer writer;

	json_write_start(&writer, out, JSON_ON_ONE_LINE);
	json_write_open_lines(&writer, NULL, '{');
	write_end(&writer, "local", madring_fabric_local_port(fabric));
	json_write_foreign(&writer, "nodes");
	madring_fabric_save_nodes(fabric, out, NULL, NULL);
	json_write_close(&writer, '}');
	json_write_end(&writer);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
