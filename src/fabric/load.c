/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"
#include "json/json_read.h"
#include "json/utf8.h"
#include "saved.h"

/* A cable whose other end may not be read yet. */
struct join {
	struct port *port;
	struct saved_end peer;
};

struct loading {
	struct madring_fabric *fabric;
	struct json_reader reader;
	bool has_nodes;
	struct saved_end local;
	struct saved_node node; /* that is read */
	struct join *joins;
	size_t join_count, join_room;
};

static const char out_of_memory[] = "out of memory";

/* The functions below that return a text return NULL, or what the file has and no fabric. */

static bool get_type(const char *text, uint8_t *type)
{
	for (*type = MADRING_NODE_CA; *type <= MADRING_NODE_ROUTER; (*type)++)
		if (!strcmp(text, madring_node_type_text((enum madring_node_type) * type)))
			return true;
	return false;
}

/* Returns a number, or 0 if the file has none up to @most. */
static uint32_t number_or_0(uint64_t number, uint32_t most)
{
	return number <= most ? (uint32_t)number : 0;
}

/* Fills the NodeInfo of a saved node. Returns what is wrong with it, or NULL. */
static const char *fill_node_info(const struct saved_node *saved, struct madring_node_info *info)
{
	*info = (struct madring_node_info){
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
	if (saved->has_too_many_ports)
		return "a node with a list of more than 255 ports";
	if (saved->enhanced_port0 && info->type != MADRING_NODE_SWITCH)
		return "an enhanced port 0 that is no switch's";
	if (saved->has_switch_info && info->type != MADRING_NODE_SWITCH)
		return "a SwitchInfo that is no switch's";
	if (saved->is_switch_info_wrong)
		return "a SwitchInfo with a number that is too large";
	info->port_count = saved->port_count;
	return NULL;
}

/*
 * Returns the width with this text, or 0 if there is none, as of a port about which nothing is
 * known.
 */
static uint8_t width_of(const char *text)
{
	for (unsigned int width = 1; width <= 16; width <<= 1)
		if (!strcmp(text, madring_link_width_text(width)))
			return width;
	return 0;
}

/* The speeds of links, by the texts of madring_link_speed_text(). */
static const struct {
	const char *text;
	uint8_t speed, speed_ext;
} speeds[] = {
	{ "SDR", 1, 0 },   { "FDR", 1, 1 }, { "DDR", 2, 0 }, { "EDR", 2, 2 }, { "QDR", 4, 0 },
	{ "FDR10", 4, 0 }, { "HDR", 4, 4 }, { "???", 8, 0 }, { "NDR", 8, 8 },
};

/* Sets the speed that madring_link_speed_text() would write as @text. */
static void set_speed(struct port *port, const char *text)
{
	struct port_info *info = &port->info;

	port->public.speed = 0;
	info->speed_ext = 0;
	if (!strcmp(text, "XDR")) {
		info->speed_ext2 = SPEED_EXT_XDR;
		return;
	}
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		if (strcmp(text, speeds[i].text) != 0)
			continue;
		port->public.speed = speeds[i].speed;
		info->speed_ext = speeds[i].speed_ext;
	}
	/* A switch without a port 0 in the file has no extended speeds. */
	if (port_speed_ext(port) != info->speed_ext) {
		port->public.speed = 0;
		info->speed_ext = 0;
	}
}

static void set_link(struct port *port, const struct saved_port *saved)
{
	struct port_info *info = &port->info;

	port->public.width = width_of(saved->width);
	port->public.capability_mask = PORT_EXTENDED_SPEEDS | PORT_CAPABILITY_MASK2;
	port->public.capability_mask2 = PORT_EXTENDED_SPEEDS2;
	port->public.fdr10 = !strcmp(saved->speed, "FDR10");
	set_speed(port, saved->speed);
	port->public.width_supported = port->public.width;
	port->public.speed_supported = port->public.speed;
	info->speed_ext_supported = info->speed_ext;
	info->speed_ext2_supported = info->speed_ext2;
	port->public.fdr10_supported = port->public.fdr10;
}

/* Keeps a cable. Returns false when memory is exhausted. */
static bool add_join(struct loading *loading, struct port *port, const struct saved_end *peer)
{
	if (loading->join_count == loading->join_room) {
		size_t room = loading->join_room ? loading->join_room * 2 : 1024;
		struct join *joins = reallocarray(loading->joins, room, sizeof(*joins));

		if (!joins)
			return false;
		loading->joins = joins;
		loading->join_room = room;
	}
	loading->joins[loading->join_count++] = (struct join){ port, *peer };
	return true;
}

/* Fills a port of a node from its saved port. Returns what is wrong with it, or NULL. */
static const char *fill_port(struct loading *loading, struct node *node,
			     const struct saved_port *saved)
{
	struct port *port;

	if (saved->number > node->public.port_count)
		return "a port beyond the number of its node's";
	if (!saved->number && node->public.type != MADRING_NODE_SWITCH)
		return "a port 0 that is no switch's";
	if (saved->lid > UINT16_MAX || saved->state > UINT8_MAX ||
	    saved->physical_state > UINT8_MAX)
		return "a port without LID or states";
	if (!saved->has_peer)
		return "a port without a peer, or null for it";
	port = &node->port[saved->number];
	port->public.found = true;
	port->public.known = saved->known;
	port->public.guid = saved->guid;
	port->info.lid = saved->lid;
	port->public.lmc = number_or_0(saved->lmc, 7);
	port->public.vl_cap = number_or_0(saved->vl_cap, UINT8_MAX);
	port->public.state = saved->state;
	port->public.physical_state = saved->physical_state;
	set_link(port, saved);
	if (saved->is_joined && !add_join(loading, port, &saved->peer))
		return out_of_memory;
	return NULL;
}

/* Adds the saved node that was read last. Returns what is wrong with it, or NULL. */
static const char *add_node(struct loading *loading)
{
	const struct saved_node *saved = &loading->node;
	struct madring_node_info info;
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
		return loading->fabric->is_short ? out_of_memory
						 : "more nodes or ports than any subnet has";
	memcpy(node->description, saved->description, sizeof(node->description));
	utf8_make_printable(node->description);
	node->public.enhanced_port0 = saved->enhanced_port0;
	node->has_switch_info = saved->has_switch_info;
	node->switch_info = saved->switch_info;
	node->port[0].public.known = info.type == MADRING_NODE_SWITCH;
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

static struct port *find_port(const struct madring_fabric *fabric, const struct saved_end *end)
{
	struct node *node = fabric_find(fabric, end->guid);

	return node && end->port <= node->public.port_count ? &node->port[end->port] : NULL;
}

/* Returns whether a port has a cable to itself, or both ends of its cable name each other. */
static bool is_joined(const struct port *port)
{
	return port->public.number && port->peer->peer == port;
}

static const char *join_ports(const struct loading *loading)
{
	for (size_t i = 0; i < loading->join_count; i++) {
		const struct join *join = &loading->joins[i];
		struct port *peer = find_port(loading->fabric, &join->peer);

		if (!peer)
			return "a cable to a port that is not there";
		join->port->peer = peer;
		join->port->public.peer = &peer->public;
	}
	for (size_t i = 0; i < loading->join_count; i++)
		if (!is_joined(loading->joins[i].port))
			return "a cable of which only one end is there";
	return NULL;
}

static const char *set_root(const struct loading *loading)
{
	struct port *local = find_port(loading->fabric, &loading->local);

	if (!local)
		return "no local port that is one of its nodes'";
	local->node->public.entry = local->public.number;
	loading->fabric->root = local->node;
	loading->fabric->root_port = local->public.number;
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

/* Returns 0, or the error for what is wrong, which it writes to @text. */
static int check(const struct loading *loading, const char *wrong,
		 char text[MADRING_LOAD_TEXT_BYTES])
{
	const size_t room = MADRING_LOAD_TEXT_BYTES;
	const int system_error = loading->reader.system_error;
	char why[JSON_READ_ERROR_BYTES];
	const char *error = json_read_error(&loading->reader, why);

	if (wrong == out_of_memory || system_error == ENOMEM) {
		snprintf(text, room, "%s", out_of_memory);
		return -ENOMEM;
	}
	if (system_error) {
		snprintf(text, room, "%s", error);
		return -system_error;
	}
	if (error)
		snprintf(text, room, "not what madring-sweep --json writes: %s", error);
	else if (wrong)
		snprintf(text, room, "not what madring-sweep --json writes: it has %s", wrong);
	return error || wrong ? -EINVAL : 0;
}

/* A fabric of a file is in the order of the file. */
static void finish_fabric(struct madring_fabric *fabric)
{
	fabric_settle(fabric);
	fabric->is_complete = true;
	fabric->state = (struct madring_sweep_state){ .done = true, .nodes = fabric->node_count };
}

/*
 * Loads a fabric from a file that is open. Returns 0, or a negative errno and what is wrong in
 * @text.
 */
static int load_file(FILE *file, struct madring_fabric **fabric, char text[MADRING_LOAD_TEXT_BYTES])
{
	struct loading *loading = calloc(1, sizeof(*loading));
	const char *wrong = out_of_memory;
	int result;

	if (!loading)
		return -ENOMEM;
	json_read_start(&loading->reader, file);
	loading->local.port = SAVED_NONE;
	loading->fabric = fabric_new();
	if (loading->fabric)
		wrong = read_fabric(loading);
	result = check(loading, wrong, text);
	if (result) {
		fabric_free(loading->fabric);
	} else {
		*fabric = loading->fabric;
		finish_fabric(*fabric);
	}
	json_read_end(&loading->reader);
	free(loading->node.ports);
	free(loading->joins);
	free(loading);
	return result;
}

int madring_fabric_load(const char *path, struct madring_fabric **fabric,
			char text[MADRING_LOAD_TEXT_BYTES])
{
	char own_text[MADRING_LOAD_TEXT_BYTES];
	FILE *file = fopen(path, "re");
	int result;

	if (!text)
		text = own_text;
	if (!file) {
		result = -errno;
		snprintf(text, MADRING_LOAD_TEXT_BYTES, "%s", strerror(-result));
		return result;
	}
	snprintf(text, MADRING_LOAD_TEXT_BYTES, "%s", out_of_memory);
	result = load_file(file, fabric, text);
	fclose(file);
	return result;
}
