/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of ibsim's netlists, and of what ibnetdiscover saves, which is the same grammar
 * with GUIDs before each node and more behind the '#' (netlist_text.c).
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/netlist.h"

#define MAX_LINE     4096
#define MAX_INCLUDES 8
#define MAX_FILES    1000 /* in all, because each could include itself many times */

struct source {
	struct source *next;
	char path[];
};

static int read_file(struct reader *reader, const char *path);

/* add_node reads a node's ports and name; *@rest is what follows them. */
static int add_node(struct reader *reader, enum node_type type, char *text, char **rest)
{
	char id[MAX_PREFIX + 1 + MAX_ID + 1];
	unsigned long ports;
	char *name;
	int error;

	while (*text && *text != '"' && !isdigit((unsigned char)*text))
		text++;
	ports = strtoul(text, NULL, 0);
	if (ports < 1 || ports > BUILDER_MAX_PORTS)
		return netlist_wrong(reader, "a node needs 1 to %d ports", BUILDER_MAX_PORTS);
	name = netlist_quoted(text, rest);
	if (!name)
		return netlist_wrong(reader, "a node needs a name in quotes");
	if (!netlist_plain_name(name) || strlen(name) > MAX_ID)
		return netlist_wrong(
			reader, "a node's name has 1 to %d characters, and no '#' nor '@'", MAX_ID);
	snprintf(id, sizeof(id), "%s%s%s", reader->prefix, *reader->prefix ? "#" : "", name);
	error = builder_add(&reader->builder, type, id, (unsigned int)ports, &reader->node);
	if (error == -EEXIST)
		return netlist_wrong(reader, "there is already a node \"%s\"", id);
	if (error == -E2BIG)
		return netlist_wrong(reader, "more than %d nodes", BUILDER_MAX_NODES);
	return error ? netlist_no_memory(reader) : 0;
}

/*
 * apply_settings gives a node the settings above it. As in ibsim, a device ID holds for all the
 * nodes below, the others for the next one.
 */
static void apply_settings(struct reader *reader, struct topology_node *node)
{
	node->vendor_id = reader->vendor_id;
	node->device_id = reader->device_id;
	if (reader->system_guid)
		node->system_guid = reader->system_guid;
	reader->vendor_id = 0;
	reader->system_guid = 0;
	if (node->type != NODE_SWITCH)
		return;
	for (unsigned int i = 0; reader->port_guid && i <= node->port_count; i++)
		node->port[i].guid = reader->port_guid;
	reader->port_guid = 0;
}

static int start_node(struct reader *reader, enum node_type type, char *text)
{
	char *rest = text;
	int error = add_node(reader, type, text, &rest);

	if (error)
		return error;
	apply_settings(reader, reader->node);
	rest = strchr(rest, '#');
	if (!rest)
		return 0;
	error = netdiscover_node(reader->node, rest);
	if (error == -EINVAL)
		return netlist_wrong(reader, "LID or LMC out of range");
	return error ? netlist_no_memory(reader) : 0;
}

static int start_switch(struct reader *reader, char *text)
{
	return start_node(reader, NODE_SWITCH, text);
}

static int start_ca(struct reader *reader, char *text)
{
	return start_node(reader, NODE_CA, text);
}

static int start_router(struct reader *reader, char *text)
{
	return start_node(reader, NODE_ROUTER, text);
}

static int include(struct reader *reader, char *text)
{
	char *rest;
	char *path = netlist_quoted(text, &rest);

	if (!path)
		return netlist_wrong(reader, "a file name in quotes expected");
	if (reader->depth == MAX_INCLUDES)
		return netlist_wrong(reader, "more than %d files include each other", MAX_INCLUDES);
	if (++reader->files == MAX_FILES)
		return netlist_wrong(reader, "more than %d files are included", MAX_FILES - 1);
	return read_file(reader, path);
}

static int refuse_command(struct reader *reader, char *text)
{
	(void)text;
	return netlist_wrong(reader, "ibsim's console commands can't be used here");
}

static const struct keyword {
	const char *word;
	int (*read)(struct reader *reader, char *text);
} keywords[] = {
	{ "Switch", start_switch },
	{ "Hca", start_ca },
	{ "Ca", start_ca },
	{ "Rt", start_router },
	{ "Router", start_router },
	{ "switchguid", netlist_switch_guid },
	{ "hcaguids", netlist_ca_guid },
	{ "hcaguid", netlist_ca_guid },
	{ "caguid", netlist_ca_guid },
	{ "rtguid", netlist_router_guid },
	{ "vendid", netlist_vendor },
	{ "devid", netlist_device },
	{ "sysimgguid", netlist_system_guid },
	{ "width", netlist_width },
	{ "speed", netlist_speed },
	{ "extspeed", netlist_ext_speed },
	{ "module", netlist_prefix },
	{ "include", include },
	{ "do", refuse_command },
};

/*
 * read_line reads a line. As in ibsim, a line of no known kind means nothing: ibnetdiscover writes
 * headings.
 */
static int read_line(struct reader *reader, char *text)
{
	if (*text == '#')
		return 0;
	if (*text == '[' || (*text == '@' && text[1] == '['))
		return netlist_port(reader, text);
	reader->node = NULL;
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		size_t length = strlen(keywords[i].word);

		if (!strncmp(text, keywords[i].word, length) &&
		    !isalpha((unsigned char)text[length]))
			return keywords[i].read(reader, text + length);
	}
	return 0;
}

static int read_lines(struct reader *reader, FILE *file)
{
	char text[MAX_LINE];
	size_t length;
	int error = 0;

	while (!error && fgets(text, sizeof(text), file)) {
		reader->line++;
		length = strlen(text);
		if (length == sizeof(text) - 1 && text[length - 1] != '\n')
			return netlist_wrong(reader, "a line of more than %d characters",
					     MAX_LINE - 2);
		if (!feof(file) && (!length || text[length - 1] != '\n'))
			return netlist_wrong(reader, "not text: there is a NUL in the line");
		text[strcspn(text, "\r\n")] = '\0';
		error = read_line(reader, text);
	}
	if (!error && ferror(file))
		return netlist_wrong(reader, "can't be read: %s", strerror(errno));
	return error;
}

static struct source *keep_source(struct reader *reader, const char *path)
{
	size_t size = strlen(path) + 1;
	struct source *source = malloc(sizeof(*source) + size);

	if (!source)
		return NULL;
	memcpy(source->path, path, size);
	source->next = reader->sources;
	reader->sources = source;
	return source;
}

/* Reads a netlist, also one that another includes. Returns 0 or a negative errno. */
static int read_file(struct reader *reader, const char *path)
{
	const char *outer_path = reader->path;
	unsigned int outer_line = reader->line;
	struct source *source = keep_source(reader, path);
	FILE *file;
	int error;

	if (!source)
		return netlist_no_memory(reader);
	file = fopen(path, "re");
	if (!file && !reader->depth)
		return netlist_wrong(reader, "%s", strerror(errno));
	if (!file)
		return netlist_wrong(reader, "can't open %.160s: %s", path, strerror(errno));
	reader->path = source->path;
	reader->line = 0;
	reader->depth++;
	error = read_lines(reader, file);
	fclose(file);
	if (error)
		return error;
	reader->depth--;
	reader->node = NULL;
	reader->path = outer_path;
	reader->line = outer_line;
	return 0;
}

static int read_topology(struct reader *reader, const char *path)
{
	const struct topology *topology = reader->builder.topology;
	int error;

	reader->path = path;
	error = read_file(reader, path);
	if (error)
		return error;
	if (!topology->node_count)
		return netlist_wrong(reader,
				     "there is no node in it: neither an ibsim netlist nor saved "
				     "ibnetdiscover output");
	return cables_join(&reader->cables, topology, reader->error);
}

static void close_reader(struct reader *reader)
{
	struct source *source;

	cables_close(&reader->cables);
	while ((source = reader->sources)) {
		reader->sources = source->next;
		free(source);
	}
}

int topology_read(struct topology **topology, const char *path, struct topology_error *error)
{
	struct reader reader = { .error = error, .path = path };
	int result;

	*error = (struct topology_error){ 0 };
	result = builder_open(&reader.builder);
	if (result)
		return netlist_no_memory(&reader);
	memcpy(reader.guid_base, reader.builder.next_guid, sizeof(reader.guid_base));
	result = cables_open(&reader.cables);
	if (result)
		netlist_no_memory(&reader);
	else
		result = read_topology(&reader, path);
	close_reader(&reader);
	if (result) {
		builder_discard(&reader.builder);
		return result;
	}
	*topology = builder_take(&reader.builder);
	return 0;
}
