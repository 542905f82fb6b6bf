/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "common/complain.h"
#include "common/memory.h"
#include "common/utf8.h"
#include "link_text.h"
#include "load.h"

static struct json_object *json_member(struct json_object *object, const char *key,
				       enum json_type type)
{
	struct json_object *value;

	if (!json_object_is_type(object, json_type_object) ||
	    !json_object_object_get_ex(object, key, &value) || !json_object_is_type(value, type))
		return NULL;
	return value;
}

/* Returns false if there is no such member, or it is not a number up to @most. */
static bool get_number(struct json_object *object, const char *key, uint64_t most, uint64_t *number)
{
	struct json_object *value = json_member(object, key, json_type_int);

	if (!value || json_object_get_int64(value) < 0)
		return false;
	*number = json_object_get_uint64(value);
	return *number <= most;
}

/* Returns a GUID, or 0 if there is none. */
static uint64_t get_guid(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key, json_type_string);
	const char *text = value ? json_object_get_string(value) : "";
	unsigned long long guid;
	char *end;

	if (strncmp(text, "0x", 2))
		return 0;
	errno = 0;
	guid = strtoull(text, &end, 16);
	return errno || *end ? 0 : guid;
}

static const char *get_text(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key, json_type_string);

	return value ? json_object_get_string(value) : "";
}

static bool get_flag(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key, json_type_boolean);

	return value && json_object_get_boolean(value);
}

static bool get_type(struct json_object *object, enum node_type *type)
{
	const char *text = get_text(object, "type");

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

/* Returns NULL, or what is wrong. */
static const char *read_node_info(struct json_object *object, struct node_info *info)
{
	uint64_t ports, number;

	*info = (struct node_info){ .node_guid = get_guid(object, "guid"),
				    .port_guid = get_guid(object, "port_guid"),
				    .system_guid = get_guid(object, "system_image_guid") };
	if (!info->node_guid)
		return "a node without GUID";
	if (!get_type(object, &info->type))
		return "a node whose type is none of ca, switch, router";
	if (!get_number(object, "port_count", 254, &ports) || !ports)
		return "a node whose number of ports is not in 1 to 254";
	info->port_count = ports;
	if (get_number(object, "vendor_id", UINT32_MAX, &number))
		info->vendor_id = number;
	if (get_number(object, "device_id", UINT16_MAX, &number))
		info->device_id = number;
	if (get_number(object, "revision", UINT32_MAX, &number))
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
	const char *speed = get_text(object, "speed");
	struct port_info *info = &port->info;

	info->width = width_of(get_text(object, "width"));
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

static const char *read_port(struct node *node, struct json_object *object)
{
	uint64_t number, lid, state, physical_state;
	struct port *port;

	if (!get_number(object, "port", node->info.port_count, &number))
		return "a port beyond the number of its node's";
	if (!number && node->info.type != NODE_SWITCH)
		return "a port 0 that is no switch's";
	port = &node->port[number];
	if (!get_number(object, "lid", UINT16_MAX, &lid) ||
	    !get_number(object, "state", UINT8_MAX, &state) ||
	    !get_number(object, "physical_state", UINT8_MAX, &physical_state))
		return "a port without LID or states";
	port->found = true;
	port->known = get_flag(object, "known");
	port->guid = get_guid(object, "guid");
	port->info.lid = lid;
	port->info.state = state;
	port->info.physical_state = physical_state;
	set_link(port, object);
	return NULL;
}

static const char *read_node(struct fabric *fabric, struct json_object *object)
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
	if (fabric_find(fabric, info.node_guid))
		return "two nodes with one GUID";
	node = fabric_add(fabric, &info, &route);
	if (!node)
		return "more nodes or ports than any subnet has";
	snprintf(node->description, sizeof(node->description), "%s",
		 get_text(object, "description"));
	utf8_make_printable(node->description);
	node->enhanced_port0 = get_flag(object, "enhanced_port0");
	node->port[0].known = info.type == NODE_SWITCH;
	if (!ports)
		return "a node without a list of ports";
	for (size_t i = 0; !wrong && i < count; i++)
		wrong = read_port(node, json_object_array_get_idx(ports, i));
	return wrong;
}

static struct port *find_port(const struct fabric *fabric, struct json_object *object)
{
	struct node *node = fabric_find(fabric, get_guid(object, "node_guid"));
	uint64_t number;

	if (!node || !get_number(object, "port", node->info.port_count, &number))
		return NULL;
	return &node->port[number];
}

static const char *join_port(const struct fabric *fabric, struct node *node,
			     struct json_object *object)
{
	struct json_object *peer;
	uint64_t number = 0;

	/* json-c silently leaves out a member that it has no memory for. */
	if (!json_object_object_get_ex(object, "peer", &peer))
		return "a port without a peer, or null for it";
	if (!peer)
		return NULL;
	get_number(object, "port", node->info.port_count, &number);
	node->port[number].peer = find_port(fabric, peer);
	return node->port[number].peer ? NULL : "a cable to a port that is not there";
}

static const char *join_node(const struct fabric *fabric, struct json_object *object)
{
	struct node *node = fabric_find(fabric, get_guid(object, "guid"));
	struct json_object *ports = json_member(object, "ports", json_type_array);
	size_t count = ports ? json_object_array_length(ports) : 0;
	const char *wrong = NULL;

	for (size_t i = 0; !wrong && i < count; i++)
		wrong = join_port(fabric, node, json_object_array_get_idx(ports, i));
	return wrong;
}

static const char *read_all(struct fabric *fabric, struct json_object *root)
{
	struct json_object *nodes = json_member(root, "nodes", json_type_array);
	size_t count = nodes ? json_object_array_length(nodes) : 0;
	const char *wrong = nodes ? NULL : "no list of nodes";
	struct port *local;

	for (size_t i = 0; !wrong && i < count; i++)
		wrong = read_node(fabric, json_object_array_get_idx(nodes, i));
	for (size_t i = 0; !wrong && i < count; i++)
		wrong = join_node(fabric, json_object_array_get_idx(nodes, i));
	if (wrong)
		return wrong;
	local = find_port(fabric, json_member(root, "local", json_type_object));
	if (!local)
		return "no local port that is one of its nodes'";
	fabric->root = local->node;
	fabric->root_port = local->number;
	return NULL;
}

static size_t count_lines(const char *text, size_t length)
{
	size_t lines = 0;

	for (size_t i = 0; i < length; i++)
		lines += text[i] == '\n';
	return lines;
}

/* Returns the value, or NULL with a message written. */
static struct json_object *parse_json(struct json_tokener *tokener, FILE *file, const char *path)
{
	struct json_object *root = NULL;
	enum json_tokener_error error = json_tokener_continue;
	size_t length = 0, line = 1;
	char text[16384];

	while (error == json_tokener_continue &&
	       (length = fread(text, 1, sizeof(text), file)) > 0) {
		root = json_tokener_parse_ex(tokener, text, (int)length);
		error = json_tokener_get_error(tokener);
		line += count_lines(text, error == json_tokener_continue
						  ? length
						  : json_tokener_get_parse_end(tokener));
	}
	/*
	 * json-c has no error of its own for exhausted memory, and may return what it has parsed so
	 * far.
	 */
	if (errno == ENOMEM)
		memory_end();
	if (root)
		return root;
	if (ferror(file))
		complain("%s: %s", path, strerror(errno));
	else if (error == json_tokener_continue)
		complain("%s: not what madring-sweep --json writes: it ends in line %zu, before "
			 "its outermost object does",
			 path, line);
	else
		complain("%s: not what madring-sweep --json writes: line %zu: %s", path, line,
			 error ? json_tokener_error_desc(error) : "null");
	return NULL;
}

static struct json_object *read_json(const char *path)
{
	struct json_tokener *tokener;
	struct json_object *root;
	FILE *file = fopen(path, "r");

	if (!file) {
		complain("%s: %s", path, strerror(errno));
		return NULL;
	}
	errno = 0;
	tokener = json_tokener_new();
	if (!tokener)
		memory_end();
	root = parse_json(tokener, file, path);
	json_tokener_free(tokener);
	fclose(file);
	return root;
}

struct fabric *fabric_load(const char *path)
{
	struct json_object *root = read_json(path);
	struct fabric *fabric;
	const char *wrong;

	if (!root)
		return NULL;
	fabric = fabric_new();
	wrong = read_all(fabric, root);
	json_object_put(root);
	if (!wrong)
		return fabric;
	complain("%s: not what madring-sweep --json writes: it has %s", path, wrong);
	fabric_free(fabric);
	return NULL;
}
