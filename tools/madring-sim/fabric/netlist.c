/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reader of ibsim's netlists, and of what ibnetdiscover saves, which is the same grammar
 * with GUIDs before each node and more behind the '#' (netdiscover.c).
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "cables.h"
#include "names.h"
#include "netdiscover.h"

#define MAX_LINE     4096
#define MAX_INCLUDES 8
#define MAX_PREFIX   20
#define MAX_ID	     64
#define MAX_REMOTE   (MAX_PREFIX + 1 + MAX_ID) /* with a module of its own */

struct source {
	struct source *next;
	char path[];
};

struct reader {
	struct builder builder;
	struct cables cables;
	struct topology_error *error;
	struct source *sources; /* kept until the end: cable ends point to their paths */
	const char *path;
	unsigned int line, depth;
	struct topology_node *node; /* whose ports are read now */
	uint64_t guid_base[4], system_guid;
	uint32_t vendor_id;
	uint16_t device_id;
	char prefix[MAX_PREFIX + 1];
};

static int read_file(struct reader *reader, const char *path);

__attribute__((format(printf, 2, 3))) static int wrong(struct reader *reader, const char *format,
						       ...)
{
	struct topology_error *error = reader->error;
	va_list arguments;

	snprintf(error->file, sizeof(error->file), "%s", reader->path);
	error->line = reader->line;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

static int no_memory(struct reader *reader)
{
	wrong(reader, "out of memory");
	return -ENOMEM;
}

/* Ends the string at the closing quote. NULL: there are no two quotes. */
static char *quoted(char *text, char **rest)
{
	char *start = strchr(text, '"');
	char *end = start ? strchr(start + 1, '"') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return start + 1;
}

static bool plain_name(const char *name)
{
	return *name && !strpbrk(name, "#@");
}

static int start_node(struct reader *reader, enum node_type type, char *text)
{
	char id[MAX_PREFIX + 1 + MAX_ID + 1];
	struct topology_node *node;
	char *name, *rest;
	unsigned long ports;
	int ret;

	while (*text && *text != '"' && !isdigit((unsigned char)*text))
		text++;
	ports = strtoul(text, NULL, 0);
	if (ports < 1 || ports > BUILDER_MAX_PORTS)
		return wrong(reader, "a node needs 1 to %d ports", BUILDER_MAX_PORTS);
	name = quoted(text, &rest);
	if (!name)
		return wrong(reader, "a node needs a name in quotes");
	if (!plain_name(name) || strlen(name) > MAX_ID)
		return wrong(reader, "a node's name has 1 to %d characters, and no '#' nor '@'",
			     MAX_ID);
	snprintf(id, sizeof(id), "%s%s%s", reader->prefix, *reader->prefix ? "#" : "", name);
	ret = builder_add(&reader->builder, type, id, (unsigned int)ports, &node);
	if (ret == -EEXIST)
		return wrong(reader, "there is already a node \"%s\"", id);
	if (ret == -E2BIG)
		return wrong(reader, "more than %d nodes", BUILDER_MAX_NODES);
	if (ret)
		return no_memory(reader);
	node->vendor_id = reader->vendor_id;
	node->device_id = reader->device_id;
	if (reader->system_guid)
		node->system_guid = reader->system_guid;
	/* As in ibsim, a device ID holds for all the nodes below, a vendor ID for the next one. */
	reader->vendor_id = 0;
	reader->system_guid = 0;
	reader->node = node;
	rest = strchr(rest, '#');
	if (!rest)
		return 0;
	ret = netdiscover_node(node, rest);
	if (ret == -EINVAL)
		return wrong(reader, "LID or LMC out of range");
	return ret ? no_memory(reader) : 0;
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

/* The number behind '='. */
static int value_of(struct reader *reader, const char *text, unsigned long long max,
		    unsigned long long *value)
{
	const char *start = strpbrk(text, "=+");
	char *end;

	if (!start)
		return wrong(reader, "'=' and a number expected");
	errno = 0;
	*value = strtoull(++start, &end, 0);
	if (end == start || (*end && *end != '(' && *end != '#' && !isspace((unsigned char)*end)))
		return wrong(reader, "a number expected behind '='");
	if (errno || *value > max)
		return wrong(reader, "the number is more than 0x%llx", max);
	return 0;
}

static int set_guid(struct reader *reader, enum node_type type, const char *text)
{
	unsigned long long guid;

	if (value_of(reader, text, UINT64_MAX, &guid))
		return -EINVAL;
	if (*strpbrk(text, "=+") == '=')
		reader->guid_base[type] = guid;
	else
		guid += reader->guid_base[type];
	reader->builder.next_guid[type] = guid;
	return 0;
}

static int set_switch_guid(struct reader *reader, char *text)
{
	return set_guid(reader, NODE_SWITCH, text);
}

static int set_ca_guid(struct reader *reader, char *text)
{
	return set_guid(reader, NODE_CA, text);
}

static int set_router_guid(struct reader *reader, char *text)
{
	return set_guid(reader, NODE_ROUTER, text);
}

static int set_vendor(struct reader *reader, char *text)
{
	unsigned long long value;
	int ret = value_of(reader, text, 0xffffff, &value);

	if (!ret)
		reader->vendor_id = (uint32_t)value;
	return ret;
}

static int set_device(struct reader *reader, char *text)
{
	unsigned long long value;
	int ret = value_of(reader, text, 0xffff, &value);

	if (!ret)
		reader->device_id = (uint16_t)value;
	return ret;
}

static int set_system_guid(struct reader *reader, char *text)
{
	unsigned long long value;
	int ret = value_of(reader, text, UINT64_MAX, &value);

	if (!ret)
		reader->system_guid = value;
	return ret;
}

static int set_mask(struct reader *reader, const char *text, unsigned int min, unsigned int max,
		    uint8_t *mask)
{
	unsigned long long value;

	if (value_of(reader, text, max, &value))
		return -EINVAL;
	if (value < min)
		return wrong(reader, "%u to %u expected behind '='", min, max);
	*mask = (uint8_t)value;
	return 0;
}

static int set_width(struct reader *reader, char *text)
{
	return set_mask(reader, text, 1, 31, &reader->builder.port.width_enabled);
}

static int set_speed(struct reader *reader, char *text)
{
	return set_mask(reader, text, 1, 7, &reader->builder.port.speed_enabled);
}

static int set_ext_speed(struct reader *reader, char *text)
{
	return set_mask(reader, text, 0, 15, &reader->builder.port.speed_ext_enabled);
}

static int set_prefix(struct reader *reader, char *text)
{
	char *rest;
	char *prefix = strchr(text, '=') ? quoted(text, &rest) : NULL;

	if (!prefix || strlen(prefix) > MAX_PREFIX)
		return wrong(reader, "'=' and a name of at most %d characters in quotes expected",
			     MAX_PREFIX);
	snprintf(reader->prefix, sizeof(reader->prefix), "%s", prefix);
	return 0;
}

static int include(struct reader *reader, char *text)
{
	char *rest;
	char *path = quoted(text, &rest);

	if (!path)
		return wrong(reader, "a file name in quotes expected");
	if (reader->depth == MAX_INCLUDES)
		return wrong(reader, "more than %d files include each other", MAX_INCLUDES);
	return read_file(reader, path);
}

static int refuse_command(struct reader *reader, char *text)
{
	(void)text;
	return wrong(reader, "ibsim's console commands can't be used here");
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
	{ "switchguid", set_switch_guid },
	{ "hcaguids", set_ca_guid },
	{ "hcaguid", set_ca_guid },
	{ "caguid", set_ca_guid },
	{ "rtguid", set_router_guid },
	{ "vendid", set_vendor },
	{ "devid", set_device },
	{ "sysimgguid", set_system_guid },
	{ "width", set_width },
	{ "speed", set_speed },
	{ "extspeed", set_ext_speed },
	{ "module", set_prefix },
	{ "include", include },
	{ "do", refuse_command },
};

/* "w=4 s=2 e=1": enabled widths, speeds and extended speeds. Other letters mean nothing. */
static int port_options(struct reader *reader, struct topology_port *port, const char *text)
{
	const char *equals = text;
	const char *letter;
	int ret = 0;

	while (!ret && (equals = strchr(equals + 1, '='))) {
		letter = equals;
		while (letter > text && !isalpha((unsigned char)*letter))
			letter--;
		if (*letter == 'w')
			ret = set_mask(reader, equals, 1, 31, &port->width_enabled);
		else if (*letter == 's')
			ret = set_mask(reader, equals, 0, 7, &port->speed_enabled);
		else if (*letter == 'e')
			ret = set_mask(reader, equals, 0, 15, &port->speed_ext_enabled);
	}
	if (!port->speed_enabled)
		port->speed_enabled = 4; /* as ibsim: no speed at all means QDR */
	return ret;
}

/* What stands behind the far port: "[2](guid) options # what ibnetdiscover found". */
static int port_tail(struct reader *reader, unsigned int number, char *text)
{
	struct topology_port *port = &reader->node->port[number];
	char *comment = strchr(text, '#');
	int ret;

	if (comment)
		*comment = '\0';
	ret = port_options(reader, port, text);
	if (ret || !comment)
		return ret;
	if (netdiscover_port(reader->node, number, comment + 1))
		return wrong(reader, "LID or LMC out of range");
	return 0;
}

/* "[1](guid)": the near port. A channel adapter's line has the port's own GUID. */
static int near_port(struct reader *reader, char *text, unsigned int *number)
{
	unsigned long value = strtoul(text + 1, &text, 10);
	unsigned long long guid;

	if (value < 1 || value > reader->node->port_count || *text != ']')
		return wrong(reader, "node \"%.64s\" has ports 1 to %u", reader->node->id,
			     reader->node->port_count);
	*number = (unsigned int)value;
	if (text[1] != '(' || reader->node->type == NODE_SWITCH)
		return 0;
	guid = strtoull(text + 2, &text, 16);
	if (*text != ')')
		return wrong(reader, "a GUID and ')' expected behind '('");
	reader->node->port[value].guid = guid;
	return 0;
}

static int read_alias(struct reader *reader, struct cable_end *end, const char *name)
{
	char alias[MAX_PREFIX + 1 + MAX_ID + 1];
	int ret;

	if (!plain_name(name) || strlen(name) > MAX_ID)
		return wrong(reader, "an alias has 1 to %d characters, and no '#' nor '@'", MAX_ID);
	snprintf(alias, sizeof(alias), "%s@%s", reader->prefix, name);
	ret = cables_alias(&reader->cables, alias, end->node, end->port);
	if (ret == -EEXIST)
		return wrong(reader, "there is already an alias \"%s\"", alias);
	return ret ? no_memory(reader) : 0;
}

/* A far node is named by its id in this module, "module#id", "@alias" or "module@alias". */
static int read_cable(struct reader *reader, struct cable_end *end, const char *name,
		      const char *rest)
{
	char remote[MAX_PREFIX + 1 + MAX_REMOTE + 1];
	bool own = !strpbrk(name, "#@") && *reader->prefix;
	unsigned long port = 1;
	char *after;

	if (strlen(name) > MAX_REMOTE)
		return wrong(reader, "the far node's name is too long");
	snprintf(remote, sizeof(remote), "%s%s%.*s", own || *name == '@' ? reader->prefix : "",
		 own ? "#" : "", MAX_REMOTE, name);
	if (*rest == '[') {
		port = strtoul(rest + 1, &after, 10);
		if (port < 1 || port > BUILDER_MAX_PORTS || *after != ']')
			return wrong(reader, "the far port is not 1 to %d", BUILDER_MAX_PORTS);
	}
	end->remote = remote;
	end->remote_port = strchr(name, '@') ? 0 : (unsigned int)port;
	return cables_add(&reader->cables, end) ? no_memory(reader) : 0;
}

static int read_port(struct reader *reader, char *text)
{
	struct cable_end end = { .node = reader->node, .file = reader->path, .line = reader->line };
	bool alias = *text == '@';
	char *name, *rest;
	int ret;

	if (!reader->node)
		return wrong(reader, "a port's line, but no node above it");
	ret = near_port(reader, text + alias, &end.port);
	if (ret)
		return ret;
	name = quoted(text, &rest);
	if (!name)
		return wrong(reader, "a port needs the far node's name in quotes");
	if (alias)
		ret = read_alias(reader, &end, name);
	else
		ret = read_cable(reader, &end, name, rest);
	return ret ? ret : port_tail(reader, end.port, rest);
}

/* As in ibsim, lines that are none of these mean nothing: ibnetdiscover writes headings. */
static int read_line(struct reader *reader, char *text)
{
	size_t i;

	if (*text == '#')
		return 0;
	if (*text == '[' || (*text == '@' && text[1] == '['))
		return read_port(reader, text);
	reader->node = NULL;
	for (i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
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
	int ret = 0;

	while (!ret && fgets(text, sizeof(text), file)) {
		reader->line++;
		length = strlen(text);
		if (length == sizeof(text) - 1 && text[length - 1] != '\n')
			return wrong(reader, "a line of more than %d characters", MAX_LINE - 2);
		if (!feof(file) && (!length || text[length - 1] != '\n'))
			return wrong(reader, "not text: there is a NUL in the line");
		text[strcspn(text, "\r\n")] = '\0';
		ret = read_line(reader, text);
	}
	if (!ret && ferror(file))
		return wrong(reader, "can't be read: %s", strerror(errno));
	return ret;
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

static int read_file(struct reader *reader, const char *path)
{
	const char *outer_path = reader->path;
	unsigned int outer_line = reader->line;
	struct source *source = keep_source(reader, path);
	FILE *file;
	int ret;

	if (!source)
		return no_memory(reader);
	file = fopen(path, "re");
	if (!file)
		return wrong(reader, "can't open %.160s: %s", path, strerror(errno));
	reader->path = source->path;
	reader->line = 0;
	reader->depth++;
	ret = read_lines(reader, file);
	fclose(file);
	if (ret)
		return ret;
	reader->depth--;
	reader->node = NULL;
	reader->path = outer_path;
	reader->line = outer_line;
	return 0;
}

static int read_topology(struct reader *reader, const char *path)
{
	const struct topology *topology = reader->builder.topology;
	int ret;

	reader->path = path;
	ret = read_file(reader, path);
	if (ret)
		return ret;
	if (!topology->node_count)
		return wrong(reader, "there is no node in it: neither an ibsim netlist nor saved "
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
	int ret;

	*error = (struct topology_error){ 0 };
	ret = builder_open(&reader.builder);
	if (ret)
		return no_memory(&reader);
	memcpy(reader.guid_base, reader.builder.next_guid, sizeof(reader.guid_base));
	ret = cables_open(&reader.cables);
	if (ret)
		no_memory(&reader);
	else
		ret = read_topology(&reader, path);
	close_reader(&reader);
	if (ret) {
		builder_discard(&reader.builder);
		return ret;
	}
	*topology = builder_take(&reader.builder);
	return 0;
}
