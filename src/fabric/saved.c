/* SPDX-License-Identifier: BSD-2-Clause */
#include "saved.h"
#include "switch_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_NUMBER, KIND_GUID, KIND_TEXT, KIND_FLAG };

/* A member that is stored at an offset of a structure. */
struct field {
	const char *key;
	enum kind kind;
	size_t offset, bytes;
};

#define FIELD(key, kind, type, member)                                                             \
	{ key, kind, offsetof(struct type, member), sizeof(((struct type *)0)->member) }
#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

static const struct field end_fields[] = {
	FIELD("node_guid", KIND_GUID, saved_end, guid),
	FIELD("port", KIND_NUMBER, saved_end, port),
};

static const struct field port_fields[] = {
	FIELD("port", KIND_NUMBER, saved_port, number),
	FIELD("guid", KIND_GUID, saved_port, guid),
	FIELD("known", KIND_FLAG, saved_port, known),
	FIELD("lid", KIND_NUMBER, saved_port, lid),
	FIELD("lmc", KIND_NUMBER, saved_port, lmc),
	FIELD("vl_cap", KIND_NUMBER, saved_port, vl_cap),
	FIELD("state", KIND_NUMBER, saved_port, state),
	FIELD("physical_state", KIND_NUMBER, saved_port, physical_state),
	FIELD("width", KIND_TEXT, saved_port, width),
	FIELD("speed", KIND_TEXT, saved_port, speed),
};

static const struct field node_fields[] = {
	FIELD("guid", KIND_GUID, saved_node, guid),
	FIELD("type", KIND_TEXT, saved_node, type),
	FIELD("description", KIND_TEXT, saved_node, description),
	FIELD("system_image_guid", KIND_GUID, saved_node, system_guid),
	FIELD("port_guid", KIND_GUID, saved_node, port_guid),
	FIELD("vendor_id", KIND_NUMBER, saved_node, vendor_id),
	FIELD("device_id", KIND_NUMBER, saved_node, device_id),
	FIELD("revision", KIND_NUMBER, saved_node, revision),
	FIELD("port_count", KIND_NUMBER, saved_node, port_count),
	FIELD("enhanced_port0", KIND_FLAG, saved_node, enhanced_port0),
};

/* Reads a GUID as json_guid() writes it. Stores 0 if the value is none. */
static void read_guid(struct json_reader *reader, uint64_t *guid)
{
	char text[32], *end;

	*guid = 0;
	if (!json_read_text(reader, text, sizeof(text)) || strncmp(text, "0x", 2) != 0)
		return;
	errno = 0;
	*guid = strtoull(text, &end, 16);
	if (errno || *end)
		*guid = 0;
}

static void read_field(struct json_reader *reader, const struct field *field, void *member)
{
	switch (field->kind) {
	case KIND_NUMBER:
		json_read_number(reader, member);
		break;
	case KIND_GUID:
		read_guid(reader, member);
		break;
	case KIND_TEXT:
		json_read_text(reader, member, field->bytes);
		break;
	case KIND_FLAG:
		json_read_flag(reader, member);
		break;
	}
}

/* Reads the member @key of the structure @to. Returns false if it is none of @fields. */
static bool read_member(struct json_reader *reader, const char *key, const struct field *fields,
			size_t count, void *to)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(fields[i].key, key) != 0)
			continue;
		read_field(reader, &fields[i], (char *)to + fields[i].offset);
		return true;
	}
	return false;
}

/* Goes to the next member of an object, and stores its key. */
static bool next_member(struct json_reader *reader, char key[JSON_KEY_BYTES])
{
	return json_read_more(reader, '}') && json_read_key(reader, key);
}

bool saved_read_end(struct json_reader *reader, struct saved_end *end)
{
	char key[JSON_KEY_BYTES];

	*end = (struct saved_end){ .port = SAVED_NONE };
	if (json_read_begin(reader, '{')) {
		while (next_member(reader, key))
			if (!read_member(reader, key, end_fields, COUNT(end_fields), end))
				json_read_skip(reader);
		return true;
	}
	return !json_read_null(reader);
}

static void read_port_member(struct json_reader *reader, const char *key, struct saved_port *port)
{
	if (read_member(reader, key, port_fields, COUNT(port_fields), port))
		return;
	if (strcmp(key, "peer") != 0) {
		json_read_skip(reader);
		return;
	}
	port->has_peer = true;
	port->is_joined = saved_read_end(reader, &port->peer);
}

static void read_port(struct json_reader *reader, struct saved_port *port)
{
	char key[JSON_KEY_BYTES];

	*port = (struct saved_port){
		.number = SAVED_NONE,
		.lid = SAVED_NONE,
		.state = SAVED_NONE,
		.physical_state = SAVED_NONE,
	};
	if (!json_read_begin(reader, '{')) {
		json_read_skip(reader);
		return;
	}
	while (next_member(reader, key))
		read_port_member(reader, key, port);
}

/* Returns room for a port, or NULL when memory is exhausted. */
static struct saved_port *add_port(struct saved_node *node)
{
	if (node->saved_count == node->room) {
		size_t room = node->room ? node->room * 2 : 64;
		struct saved_port *ports = reallocarray(node->ports, room, sizeof(*ports));

		if (!ports)
			return NULL;
		node->ports = ports;
		node->room = room;
	}
	return &node->ports[node->saved_count++];
}

/* Reads the array of a node's ports. */
static void read_ports(struct json_reader *reader, struct saved_node *node)
{
	node->saved_count = 0;
	node->has_ports = json_read_begin(reader, '[');
	if (!node->has_ports) {
		json_read_skip(reader);
		return;
	}
	while (json_read_more(reader, ']')) {
		struct saved_port *port;

		if (node->saved_count == SAVED_MOST_PORTS) {
			node->has_too_many_ports = true;
			json_read_skip(reader);
			continue;
		}
		port = add_port(node);
		if (port)
			read_port(reader, port);
		else
			json_read_fail(reader, ENOMEM);
	}
}

/* Reads the ports on the way to a node. The first number of the path is none of them. */
static void read_path(struct json_reader *reader, struct saved_node *node)
{
	struct route *route = &node->route;
	bool is_first = true;
	uint64_t port;

	*route = (struct route){ 0 };
	node->has_path = json_read_begin(reader, '[');
	if (!node->has_path) {
		json_read_skip(reader);
		return;
	}
	while (json_read_more(reader, ']') && json_read_number(reader, &port)) {
		if (!is_first && (port < 1 || port > 254 || !route_extend(route, route, port)))
			node->has_path = false;
		is_first = false;
	}
}

static void read_switch_info(struct json_reader *reader, struct saved_node *node)
{
	node->has_switch_info = json_read_begin(reader, '{');
	if (node->has_switch_info)
		node->is_switch_info_wrong = !switch_info_read(reader, &node->switch_info);
	else
		json_read_skip(reader);
}

static void read_node_member(struct json_reader *reader, const char *key, struct saved_node *node)
{
	if (read_member(reader, key, node_fields, COUNT(node_fields), node))
		return;
	if (!strcmp(key, "path"))
		read_path(reader, node);
	else if (!strcmp(key, "ports"))
		read_ports(reader, node);
	else if (!strcmp(key, "switch_info"))
		read_switch_info(reader, node);
	else
		json_read_skip(reader);
}

void saved_read_node(struct json_reader *reader, struct saved_node *node)
{
	char key[JSON_KEY_BYTES];

	*node = (struct saved_node){
		.port_count = SAVED_NONE,
		.vendor_id = SAVED_NONE,
		.device_id = SAVED_NONE,
		.revision = SAVED_NONE,
		.ports = node->ports,
		.room = node->room,
	};
	if (!json_read_begin(reader, '{')) {
		json_read_skip(reader);
		return;
	}
	while (next_member(reader, key))
		read_node_member(reader, key, node);
}
