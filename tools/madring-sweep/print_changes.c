/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes how the fabric differs from the one in a file. */
#include <madring/compare.h>

#include "common/json_write.h"
#include "print.h"

static int print_change(void *user, const struct madring_difference *difference)
{
	char text[MADRING_DIFFERENCE_TEXT_BYTES];

	fprintf(user, "%s\n", madring_difference_text(difference, text));
	return 0;
}

void print_changes(FILE *out, const struct result *result)
{
	madring_fabric_compare(result->old, result->fabric, print_change, out);
}

struct changes_json {
	FILE *out;
	const struct names *names;
	bool first;
};

static struct json_object *end_value(const struct madring_node_port *end)
{
	struct json_object *object = json_new_object();

	json_add(object, "node_guid", json_guid(end->node->guid));
	json_add_number(object, "port", end->number);
	return object;
}

/* Writes one difference as a JSON object. */
static int write_change(void *user, const struct madring_difference *difference)
{
	struct changes_json *changes = user;
	const struct madring_node *node =
		difference->node ? difference->node : difference->old_node;
	const struct madring_node_port *port =
		difference->port ? difference->port : difference->old_port;
	struct json_object *object = json_new_object();
	char text[MADRING_DIFFERENCE_TEXT_BYTES];

	json_add_text(object, "kind", madring_difference_name(difference->kind));
	json_add(object, "node_guid", json_guid(node->guid));
	json_add_text(object, "type", madring_node_type_text(node->type));
	json_add_text(object, "description", node->description);
	json_add_text(object, "name", node_name(changes->names, node));
	if (port)
		json_add_number(object, "port", port->number);
	if (port && !difference->change)
		json_add(object, "peer", end_value(port->peer));
	if (difference->change) {
		json_add_text(object, "change", difference->change_name);
		json_add_text(object, "old", difference->old_value);
		json_add_text(object, "now", difference->value);
	}
	json_add_text(object, "text", madring_difference_text(difference, text));
	json_write_element(changes->out, object, &changes->first);
	return 0;
}

void print_changes_json(FILE *out, const struct result *result)
{
	struct changes_json changes = { .out = out, .names = result->names, .first = true };

	fputs("  \"differences\": [", out);
	madring_fabric_compare(result->old, result->fabric, write_change, &changes);
	fputs(changes.first ? "]" : "\n  ]", out);
}
