/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/complain.h"
#include "json/json_read.h"
#include "common/memory.h"
#include "json/utf8.h"
#include "link_text.h"
#include "load.h"
#include "saved.h"

/* A cable whose other end may not be read yet. */
struct join {
	struct port *port;
	struct saved_end peer;
};

struct loading {
	struct fabric *fabric;
	struct json_reader reader;
	bool has_nodes;
	struct saved_end local;
	struct saved_node node; /* that is read */
	struct join *joins;
	size_t join_count, join_room;
};

/* The functions below that return a text return NULL, or what the file has and no fabric. */

static bool get_type(const char *text, enum node_type *type)
{
	for (*type = NODE_CA; *type <= NODE_ROUTER; (*type)++)
		if (!strcmp(text, node_type_word(*type)))
			return true;
	return false;
}

/* Returns a number, or 0 if the file has none up to @most. */
static uint32_t number_or_0(uint64_t number, uint32_t most)
{
	return number <= most ? (uint32_t)number : 0;
}

static const char *fill_node_info(const struct saved_node *saved, struct node_info *info)
{
	*info = (struct node_info){
		.node_guid = saved->guid,
		.port_guid = saved->port_guid,
		.system_guid = saved->system_guid,
		.vendor_id = number_or_0(saved->vendor_id, UINT32_MAX),
		.device_id = number_or_0(saved->device_id, UINT16_MAX),
		.revision = number_or_0(saved->revision, UINT32_MAX),
	};
	if (!info->node_guid)
		return "a node without GUID";
	if (!get_type(saved->type, &info->type))
		return "a node whose type is none of ca, switch, router";
	if (saved->port_count < 1 || saved->port_count > 254)
		return "a node whose number of ports is not in 1 to 254";
	info->port_count = saved->port_count;
	return NULL;
}

/* Returns the width with this text, or 0 if there is none, as of a port about which nothing is
   known. */
static uint8_t width_of(const char *text)
{
	for (unsigned int width = 1; width <= 16; width <<= 1)
		if (!strcmp(text, link_width_text(width)))
			return width;
	return 0;
}

/* Sets the speed that link_speed_text() would write as @text. */
static void set_speed(struct port *port, const char *text)
{
	struct port_info *info = &port->info;

	if (!strcmp(text, "XDR")) {
		info->speed_ext2 = SPEED_EXT_XDR;
		return;
	}
	for (unsigned int speed = 1; speed <= 8; speed <<= 1) {
		info->speed = speed;
		info->speed_ext = 0;
		if (!strcmp(text, link_speed_text(port)))
			return;
		info->speed_ext = speed;
		if (!strcmp(text, link_speed_text(port)))
			return;
	}
	info->speed = 0;
	info->speed_ext = 0;
}

static void set_link(struct port *port, const struct saved_port *saved)
{
	struct port_info *info = &port->info;

	info->width = width_of(saved->width);
	info->capability_mask = PORT_EXTENDED_SPEEDS | PORT_CAPABILITY_MASK2;
	info->capability_mask2 = PORT_EXTENDED_SPEEDS2;
	port->fdr10 = !strcmp(saved->speed, "FDR10");
	set_speed(port, saved->speed);
	info->width_supported = info->width;
	info->speed_supported = info->speed;
	info->speed_ext_supported = info->speed_ext;
	info->speed_ext2_supported = info->speed_ext2;
	port->fdr10_supported = port->fdr10;
}

static void add_join(struct loading *loading, struct port *port, const struct saved_end *peer)
{
	if (loading->join_count == loading->join_room) {
		loading->join_room = loading->join_room ? loading->join_room * 2 : 1024;
		loading->joins =
			memory_grow(loading->joins, loading->join_room, sizeof(struct join));
	}
	loading->joins[loading->join_count++] = (struct join){ port, *peer };
}

static const char *fill_port(struct loading *loading, struct node *node,
			     const struct saved_port *saved)
{
	struct port *port;

	if (saved->number > node->info.port_count)
		return "a port beyond the number of its node's";
	if (!saved->number && node->info.type != NODE_SWITCH)
		return "a port 0 that is no switch's";
	if (saved->lid > UINT16_MAX || saved->state > UINT8_MAX ||
	    saved->physical_state > UINT8_MAX)
		return "a port without LID or states";
	if (!saved->has_peer)
		return "a port without a peer, or null for it";
	port = &node->port[saved->number];
	port->found = true;
	port->known = saved->known;
	port->guid = saved->guid;
	port->info.lid = saved->lid;
	port->info.state = saved->state;
	port->info.physical_state = saved->physical_state;
	set_link(port, saved);
	if (saved->is_joined)
		add_join(loading, port, &saved->peer);
	return NULL;
}

static const char *add_node(struct loading *loading)
{
	const struct saved_node *saved = &loading->node;
	struct node_info info;
	struct node *node;
	const char *wrong = fill_node_info(saved, &info);

	if (wrong)
		return wrong;
	if (!saved->has_path)
		return "an invalid path";
	if (fabric_find(loading->fabric, info.node_guid))
		return "two nodes with one GUID";
	node = fabric_add(loading->fabric, &info, &saved->route);
	if (!node)
		return "more nodes or ports than any subnet has";
	memcpy(node->description, saved->description, sizeof(node->description));
	utf8_make_printable(node->description);
	node->enhanced_port0 = saved->enhanced_port0;
	node->port[0].known = info.type == NODE_SWITCH;
	if (!saved->has_ports)
		return "a node without a list of ports";
	for (size_t i = 0; !wrong && i < saved->saved_count; i++)
		wrong = fill_port(loading, node, &saved->ports[i]);
	return wrong;
}

static const char *read_nodes(struct loading *loading)
{
	const char *wrong = NULL;

	loading->has_nodes = true;
	while (!wrong && json_read_more(&loading->reader, ']')) {
		saved_read_node(&loading->reader, &loading->node);
		if (!loading->reader.is_failed)
			wrong = add_node(loading);
	}
	return wrong;
}

static const char *read_members(struct loading *loading)
{
	struct json_reader *reader = &loading->reader;
	const char *wrong = NULL;
	char key[JSON_KEY_BYTES];

	while (!wrong && json_read_more(reader, '}') && json_read_key(reader, key)) {
		if (!strcmp(key, "nodes") && json_read_begin(reader, '['))
			wrong = read_nodes(loading);
		else if (!strcmp(key, "local"))
			saved_read_end(reader, &loading->local);
		else
			json_read_skip(reader);
	}
	return wrong;
}

static struct port *find_port(const struct fabric *fabric, const struct saved_end *end)
{
	struct node *node = fabric_find(fabric, end->guid);

	return node && end->port <= node->info.port_count ? &node->port[end->port] : NULL;
}

static const char *join_ports(const struct loading *loading)
{
	for (size_t i = 0; i < loading->join_count; i++) {
		const struct join *join = &loading->joins[i];

		join->port->peer = find_port(loading->fabric, &join->peer);
		if (!join->port->peer)
			return "a cable to a port that is not there";
	}
	return NULL;
}

static const char *set_root(const struct loading *loading)
{
	const struct port *local = find_port(loading->fabric, &loading->local);

	if (!local)
		return "no local port that is one of its nodes'";
	loading->fabric->root = local->node;
	loading->fabric->root_port = local->number;
	return NULL;
}

static const char *read_fabric(struct loading *loading)
{
	const char *wrong = NULL;

	if (json_read_begin(&loading->reader, '{'))
		wrong = read_members(loading);
	else
		json_read_skip(&loading->reader);
	if (wrong || loading->reader.is_failed)
		return wrong;
	if (!loading->has_nodes)
		return "no list of nodes";
	wrong = join_ports(loading);
	return wrong ? wrong : set_root(loading);
}

/* Returns whether the fabric is complete, or else writes why it is not. */
static bool check(const struct loading *loading, const char *path, const char *wrong)
{
	char text[JSON_READ_ERROR_BYTES];
	const char *error = json_read_error(&loading->reader, text);

	if (loading->reader.system_error == ENOMEM)
		memory_end();
	if (loading->reader.system_error)
		complain("%s: %s", path, error);
	else if (error)
		complain("%s: not what madring-sweep --json writes: %s", path, error);
	else if (wrong)
		complain("%s: not what madring-sweep --json writes: it has %s", path, wrong);
	return !error && !wrong;
}

static struct fabric *load_file(FILE *file, const char *path)
{
	struct loading *loading = memory_get(1, sizeof(*loading));
	struct fabric *fabric = fabric_new();
	const char *wrong;

	loading->fabric = fabric;
	loading->local.port = SAVED_NONE;
	json_read_start(&loading->reader, file);
	wrong = read_fabric(loading);
	if (!check(loading, path, wrong)) {
		fabric_free(fabric);
		fabric = NULL;
	}
	json_read_end(&loading->reader);
	free(loading->node.ports);
	free(loading->joins);
	free(loading);
	return fabric;
}

struct fabric *fabric_load(const char *path)
{
	FILE *file = fopen(path, "r");
	struct fabric *fabric;

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return NULL;
	}
	fabric = load_file(file, path);
	fclose(file);
	return fabric;
}
