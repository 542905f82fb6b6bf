/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/complain.h"
#include "common/json_get.h"
#include "common/json_read.h"
#include "common/memory.h"
#include "common/utf8.h"
#include "link_text.h"
#include "load.h"

/* A cable whose other end may not be read yet. */
struct join {
	struct port *port;
	uint64_t peer_guid, peer_port;
};

struct loading {
	struct fabric *fabric;
	struct json_reader reader;
	struct json_object *local; /* the member of that name */
	bool has_nodes;
	struct join *joins;
	size_t join_count, join_room;
};

/* The functions below that return a text return NULL, or what the file has and no fabric. */
#define NO_PEER "a cable to a port that is not there"

static bool get_type(struct json_object *object, enum node_type *type)
{
	const char *text = json_get_text(object, "type");

	for (*type = NODE_CA; *type <= NODE_ROUTER; (*type)++)
		if (!strcmp(text, node_type_word(*type)))
			return true;
	return false;
}

static bool read_path(struct json_object *object, struct route *route)
{
	struct json_object *path = json_member(object, "path", json_type_array);
	size_t hops = path ? json_object_array_length(path) : 0;

	*route = (struct route){ 0 };
	if (!path)
		return false;
	for (size_t hop = 1; hop < hops; hop++) {
		int port = json_object_get_int(json_object_array_get_idx(path, hop));

		if (port < 1 || port > 254 || !route_extend(route, route, port))
			return false;
	}
	return true;
}

static const char *read_node_info(struct json_object *object, struct node_info *info)
{
	uint64_t ports, number;

	*info = (struct node_info){ .node_guid = json_get_guid(object, "guid"),
				    .port_guid = json_get_guid(object, "port_guid"),
				    .system_guid = json_get_guid(object, "system_image_guid") };
	if (!info->node_guid)
		return "a node without GUID";
	if (!get_type(object, &info->type))
		return "a node whose type is none of ca, switch, router";
	if (!json_get_number(object, "port_count", 254, &ports) || !ports)
		return "a node whose number of ports is not in 1 to 254";
	info->port_count = ports;
	if (json_get_number(object, "vendor_id", UINT32_MAX, &number))
		info->vendor_id = number;
	if (json_get_number(object, "device_id", UINT16_MAX, &number))
		info->device_id = number;
	if (json_get_number(object, "revision", UINT32_MAX, &number))
		info->revision = number;
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

static void set_link(struct port *port, struct json_object *object)
{
	const char *speed = json_get_text(object, "speed");
	struct port_info *info = &port->info;

	info->width = width_of(json_get_text(object, "width"));
	info->capability_mask = PORT_EXTENDED_SPEEDS | PORT_CAPABILITY_MASK2;
	info->capability_mask2 = PORT_EXTENDED_SPEEDS2;
	port->fdr10 = !strcmp(speed, "FDR10");
	set_speed(port, speed);
	info->width_supported = info->width;
	info->speed_supported = info->speed;
	info->speed_ext_supported = info->speed_ext;
	info->speed_ext2_supported = info->speed_ext2;
	port->fdr10_supported = port->fdr10;
}

static void add_join(struct loading *loading, const struct join *join)
{
	if (loading->join_count == loading->join_room) {
		loading->join_room = loading->join_room ? loading->join_room * 2 : 1024;
		loading->joins = memory_grow(loading->joins, loading->join_room, sizeof(*join));
	}
	loading->joins[loading->join_count++] = *join;
}

static const char *read_peer(struct loading *loading, struct port *port, struct json_object *object)
{
	struct join join = { .port = port };
	struct json_object *peer;

	/* json-c silently leaves out a member that it has no memory for. */
	if (!json_object_object_get_ex(object, "peer", &peer))
		return "a port without a peer, or null for it";
	if (!peer)
		return NULL;
	join.peer_guid = json_get_guid(peer, "node_guid");
	if (!json_get_number(peer, "port", UINT8_MAX, &join.peer_port))
		return NO_PEER;
	add_join(loading, &join);
	return NULL;
}

static const char *read_port(struct loading *loading, struct node *node, struct json_object *object)
{
	uint64_t number, lid, state, physical_state;
	struct port *port;

	if (!json_get_number(object, "port", node->info.port_count, &number))
		return "a port beyond the number of its node's";
	if (!number && node->info.type != NODE_SWITCH)
		return "a port 0 that is no switch's";
	port = &node->port[number];
	if (!json_get_number(object, "lid", UINT16_MAX, &lid) ||
	    !json_get_number(object, "state", UINT8_MAX, &state) ||
	    !json_get_number(object, "physical_state", UINT8_MAX, &physical_state))
		return "a port without LID or states";
	port->found = true;
	port->known = json_get_flag(object, "known");
	port->guid = json_get_guid(object, "guid");
	port->info.lid = lid;
	port->info.state = state;
	port->info.physical_state = physical_state;
	set_link(port, object);
	return read_peer(loading, port, object);
}

static const char *read_node(struct loading *loading, struct json_object *object)
{
	struct json_object *ports = json_member(object, "ports", json_type_array);
	size_t count = ports ? json_object_array_length(ports) : 0;
	struct node_info info;
	struct route route;
	struct node *node;
	const char *wrong = read_node_info(object, &info);

	if (wrong)
		return wrong;
	if (!read_path(object, &route))
		return "an invalid path";
	if (fabric_find(loading->fabric, info.node_guid))
		return "two nodes with one GUID";
	node = fabric_add(loading->fabric, &info, &route);
	if (!node)
		return "more nodes or ports than any subnet has";
	snprintf(node->description, sizeof(node->description), "%s",
		 json_get_text(object, "description"));
	utf8_make_printable(node->description);
	node->enhanced_port0 = json_get_flag(object, "enhanced_port0");
	node->port[0].known = info.type == NODE_SWITCH;
	if (!ports)
		return "a node without a list of ports";
	for (size_t i = 0; !wrong && i < count; i++)
		wrong = read_port(loading, node, json_object_array_get_idx(ports, i));
	return wrong;
}

/* Reads the nodes one by one: a tree of all of them would take several times their memory. */
static const char *read_nodes(struct loading *loading)
{
	struct json_object *object;
	const char *wrong = NULL;

	loading->has_nodes = true;
	while (!wrong && json_read_more(&loading->reader, ']')) {
		if (!json_read_value(&loading->reader, &object))
			return NULL;
		wrong = read_node(loading, object);
		json_object_put(object);
	}
	return wrong;
}

static const char *read_member(struct loading *loading, const char *key)
{
	struct json_object *value;

	if (!strcmp(key, "nodes") && json_read_begin(&loading->reader, '['))
		return read_nodes(loading);
	if (!json_read_value(&loading->reader, &value))
		return NULL;
	if (!strcmp(key, "local")) {
		json_object_put(loading->local);
		loading->local = value;
	} else {
		json_object_put(value);
	}
	return NULL;
}

static const char *read_members(struct loading *loading)
{
	struct json_object *key;
	const char *wrong = NULL;

	while (!wrong && json_read_more(&loading->reader, '}')) {
		if (!json_read_key(&loading->reader, &key))
			return NULL;
		wrong = read_member(loading, json_object_get_string(key));
		json_object_put(key);
	}
	return wrong;
}

static struct port *find_port(const struct fabric *fabric, uint64_t node_guid, uint64_t number)
{
	struct node *node = fabric_find(fabric, node_guid);

	return node && number <= node->info.port_count ? &node->port[number] : NULL;
}

static const char *join_ports(const struct loading *loading)
{
	for (size_t i = 0; i < loading->join_count; i++) {
		const struct join *join = &loading->joins[i];

		join->port->peer = find_port(loading->fabric, join->peer_guid, join->peer_port);
		if (!join->port->peer)
			return NO_PEER;
	}
	return NULL;
}

static const char *set_root(const struct loading *loading)
{
	struct fabric *fabric = loading->fabric;
	struct port *local = NULL;
	uint64_t number;

	if (json_get_number(loading->local, "port", UINT8_MAX, &number))
		local = find_port(fabric, json_get_guid(loading->local, "node_guid"), number);
	if (!local)
		return "no local port that is one of its nodes'";
	fabric->root = local->node;
	fabric->root_port = local->number;
	return NULL;
}

static const char *read_fabric(struct loading *loading)
{
	struct json_object *other;
	const char *wrong = NULL;

	if (json_read_begin(&loading->reader, '{'))
		wrong = read_members(loading);
	else if (json_read_value(&loading->reader, &other))
		json_object_put(other);
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
	json_read_start(&loading->reader, file);
	wrong = read_fabric(loading);
	if (!check(loading, path, wrong)) {
		fabric_free(fabric);
		fabric = NULL;
	}
	json_read_end(&loading->reader);
	json_object_put(loading->local);
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
