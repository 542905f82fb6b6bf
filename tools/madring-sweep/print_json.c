/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything, as JSON. GUIDs are strings: many readers keep numbers as doubles, which have no
 * room for 64 bits. A large fabric is written node by node, not held as one tree of objects.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>

#include "common/json_number.h"
#include "common/memory.h"
#include "common/utf8.h"
#include "discovery/link_text.h"
#include "json_stats.h"
#include "print.h"

static struct json_object *guid_value(uint64_t guid)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016" PRIx64, guid);
	return json_object_new_string(text);
}

static void add_text(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

static void add_name(struct json_object *object, const char *name)
{
	size_t bytes = strlen(name) + 1;
	char *text = memory_get(1, bytes);

	memcpy(text, name, bytes);
	utf8_repair(text);
	add_text(object, "name", text);
	free(text);
}

static void add_flag(struct json_object *object, const char *key, bool flag)
{
	json_object_object_add(object, key, json_object_new_boolean(flag));
}

static struct json_object *route_value(const struct route *route)
{
	struct json_object *hops = json_object_new_array();

	for (unsigned int hop = 0; hop <= route->hops; hop++)
		json_object_array_add(hops, json_object_new_int(hop ? route->port[hop] : 0));
	return hops;
}

static struct json_object *peer_value(const struct port *peer)
{
	struct json_object *object;

	if (!peer)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "node_guid", guid_value(peer->node->info.node_guid));
	json_add_number(object, "port", peer->number);
	return object;
}

static struct json_object *port_value(const struct port *port)
{
	struct json_object *object = json_object_new_object();

	json_add_number(object, "port", port->number);
	json_object_object_add(object, "guid", guid_value(port->guid));
	add_flag(object, "known", port->known);
	json_add_number(object, "lid", port_lid(port));
	json_add_number(object, "lmc", port->info.lmc);
	json_add_number(object, "state", port->info.state);
	json_add_number(object, "physical_state", port->info.physical_state);
	add_text(object, "width", link_width_text(port->info.width));
	add_text(object, "speed", link_speed_text(port));
	json_add_number(object, "vl_cap", port->info.vl_cap);
	json_object_object_add(object, "peer", peer_value(port->peer));
	return object;
}

static struct json_object *ports_value(const struct node *node)
{
	struct json_object *ports = json_object_new_array();

	for (unsigned int p = 0; p <= node->info.port_count; p++)
		if (node->port[p].found)
			json_object_array_add(ports, port_value(&node->port[p]));
	return ports;
}

static struct json_object *node_value(const struct result *result, const struct node *node)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "guid", guid_value(node->info.node_guid));
	add_text(object, "type", node_type_word(node->info.type));
	add_text(object, "description", node->description);
	add_name(object, node_name(result->names, node));
	json_object_object_add(object, "system_image_guid", guid_value(node->info.system_guid));
	json_object_object_add(object, "port_guid", guid_value(node->info.port_guid));
	json_add_number(object, "vendor_id", node->info.vendor_id);
	json_add_number(object, "device_id", node->info.device_id);
	json_add_number(object, "revision", node->info.revision);
	json_add_number(object, "port_count", node->info.port_count);
	if (node->info.type == NODE_SWITCH)
		add_flag(object, "enhanced_port0", node->enhanced_port0);
	json_object_object_add(object, "path", route_value(&node->route));
	json_object_object_add(object, "ports", ports_value(node));
	return object;
}

static struct json_object *problem_value(const struct problem *problem)
{
	struct json_object *object = json_object_new_object();
	char text[PROBLEM_TEXT_BYTES];
	struct route route;

	problem_route(problem, &route);
	json_object_object_add(object, "path", route_value(&route));
	if (problem->kind == PROBLEM_CONFLICT) {
		json_object_object_add(object, "node_guid",
				       guid_value(problem->node->info.node_guid));
		add_text(object, "description", problem->description);
		json_object_object_add(object, "other_path", route_value(&problem->node->route));
		add_text(object, "other_description", problem->node->description);
	} else {
		add_text(object, "attribute", attribute_name(problem->attribute));
		json_add_number(object, "attribute_modifier", problem->modifier);
	}
	if (problem->kind == PROBLEM_STATUS)
		json_add_number(object, "status", problem->status);
	add_text(object, "reason", problem_text(problem, text));
	return object;
}

static struct json_object *local_value(const struct fabric *fabric)
{
	struct json_object *object;

	if (!fabric->root)
		return NULL;
	object = json_object_new_object();
	json_object_object_add(object, "node_guid", guid_value(fabric->root->info.node_guid));
	json_object_object_add(object, "port_guid", guid_value(fabric->root->info.port_guid));
	json_add_number(object, "port", fabric->root_port);
	return object;
}

/* Writes a value and frees it. */
static void write_value(FILE *out, struct json_object *value)
{
	const char *text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_SPACED);

	if (!text)
		memory_end();
	fputs(text, out);
	json_object_put(value);
}

static void write_member(FILE *out, const char *key, struct json_object *value)
{
	fprintf(out, "  \"%s\": ", key);
	write_value(out, value);
	fputs(",\n", out);
}

static void write_element(FILE *out, struct json_object *value, bool *first)
{
	fputs(*first ? "\n    " : ",\n    ", out);
	*first = false;
	write_value(out, value);
}

static void write_nodes(FILE *out, const struct result *result)
{
	bool first = true;

	fputs("  \"nodes\": [", out);
	for (size_t i = 0; i < result->fabric->node_count; i++)
		write_element(out, node_value(result, result->fabric->nodes[i]), &first);
	fputs(first ? "]" : "\n  ]", out);
}

static void write_problems(FILE *out, const struct result *result, const char *key, bool conflicts)
{
	const struct problems *problems = &result->discovery->problems;
	bool first = true;

	fprintf(out, ",\n  \"%s\": [", key);
	for (size_t i = 0; i < problems->count; i++)
		if ((problems->list[i]->kind == PROBLEM_CONFLICT) == conflicts)
			write_element(out, problem_value(problems->list[i]), &first);
	fputs(first ? "]" : "\n  ]", out);
}

void print_json(FILE *out, const struct result *result)
{
	char program[64];

	snprintf(program, sizeof(program), "madring-sweep %s", madring_version());
	fputs("{\n", out);
	write_member(out, "program", json_object_new_string(program));
	write_member(
		out, "complete",
		json_object_new_boolean(!result->error && discovery_complete(result->discovery)));
	write_member(out, "interrupted", json_object_new_boolean(result->interrupted));
	write_member(out, "error",
		     result->error ? json_object_new_string(madring_strerror(result->error))
				   : NULL);
	write_member(out, "unanswered", json_object_new_uint64(result->discovery->dropped));
	write_member(out, "local", local_value(result->fabric));
	write_nodes(out, result);
	write_problems(out, result, "missing", false);
	write_problems(out, result, "conflicts", true);
	if (result->options->stats) {
		fputs(",\n  \"stats\": ", out);
		write_value(out, json_stats(result));
	}
	fputs("\n}\n", out);
}
