/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes how the fabric differs from the one in a file. */
#include <madring/compare.h>

#include "json/json_write.h"
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
	struct json_writer *writer;
	const struct names *names;
};

static void write_end(struct json_writer *writer, const char *key,
		      const struct madring_node_port *end)
{
	json_write_open(writer, key, '{');
	json_write_guid(writer, "node_guid", end->node->guid);
	json_write_number(writer, "port", end->number);
	json_write_close(writer, '}');
}

/* Writes one difference as a JSON object. */
static int write_change(void *user, const struct madring_difference *difference)
{
	const struct changes_json *changes = user;
	struct json_writer *writer = changes->writer;
	const struct madring_node *node =
		difference->node ? difference->node : difference->old_node;
	const struct madring_node_port *port =
		difference->port ? difference->port : difference->old_port;
	char text[MADRING_DIFFERENCE_TEXT_BYTES];

	json_write_open(writer, NULL, '{');
	json_write_text(writer, "kind", madring_difference_name(difference->kind));
	json_write_guid(writer, "node_guid", node->guid);
	json_write_text(writer, "type", madring_node_type_text(node->type));
	json_write_text(writer, "description", node->description);
	json_write_text(writer, "name", node_name(changes->names, node));
	if (port)
		json_write_number(writer, "port", port->number);
	if (port && !difference->change)
		write_end(writer, "peer", port->peer);
	if (difference->change) {
		json_write_text(writer, "change", difference->change_name);
		json_write_text(writer, "old", difference->old_value);
		json_write_text(writer, "now", difference->value);
	}
	json_write_text(writer, "text", madring_difference_text(difference, text));
	json_write_close(writer, '}');
	return 0;
}

void print_changes_json(struct json_writer *writer, const struct result *result)
{
	struct changes_json changes = { .writer = writer, .names = result->names };

	json_write_open_lines(writer, "differences", '[');
	madring_fabric_compare(result->old, result->fabric, write_change, &changes);
	json_write_close(writer, ']');
}
