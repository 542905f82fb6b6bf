/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/netlist.h"

#define MAX_REMOTE (MAX_PREFIX + 1 + MAX_ID) /* with a module of its own */

/*
 * port_options reads "w=4 s=2 e=1": enabled widths, speeds and extended speeds. Other letters mean
 * nothing.
 */
static int port_options(struct reader *reader, struct topology_port *port, const char *text)
{
	int error = 0;

	for (const char *equals = strchr(text, '='); equals && !error;
	     equals = strchr(equals + 1, '=')) {
		const char *letter = equals;

		while (letter > text && !isalpha((unsigned char)*letter))
			letter--;
		if (*letter == 'w')
			error = netlist_mask(reader, equals, 1, 31, &port->width_enabled);
		else if (*letter == 's')
			error = netlist_mask(reader, equals, 0, 7, &port->speed_enabled);
		else if (*letter == 'e')
			error = netlist_ext_mask(reader, equals, &port->speed_ext_enabled);
	}
	if (!port->speed_enabled)
		port->speed_enabled = 4; /* as ibsim: no speed at all means QDR */
	return error;
}

/*
 * port_tail reads what stands behind the far port: "[2](guid) options # what ibnetdiscover found".
 */
static int port_tail(struct reader *reader, unsigned int number, char *text)
{
	struct topology_port *port = &reader->node->port[number];
	char *comment = strchr(text, '#');
	int error;

	if (comment)
		*comment = '\0';
	error = port_options(reader, port, text);
	if (error || !comment)
		return error;
	if (netdiscover_port(reader->node, number, comment + 1))
		return netlist_wrong(reader, "LID or LMC out of range");
	return 0;
}

/* near_port reads the near port, "[1](guid)". A channel adapter's line has the port's own GUID. */
static int near_port(struct reader *reader, char *text, unsigned int *number)
{
	unsigned long value = strtoul(text + 1, &text, 10);
	unsigned long long guid;

	if (value < 1 || value > reader->node->port_count || *text != ']')
		return netlist_wrong(reader, "node \"%.64s\" has ports 1 to %u", reader->node->id,
				     reader->node->port_count);
	*number = (unsigned int)value;
	if (text[1] != '(' || reader->node->type == NODE_SWITCH)
		return 0;
	guid = strtoull(text + 2, &text, 16);
	if (*text != ')')
		return netlist_wrong(reader, "a GUID and ')' expected behind '('");
	reader->node->port[value].guid = guid;
	return 0;
}

static int read_alias(struct reader *reader, const struct cable_end *end, const char *name)
{
	char alias[MAX_PREFIX + 1 + MAX_ID + 1];
	int error;

	if (!netlist_plain_name(name) || strlen(name) > MAX_ID)
		return netlist_wrong(reader, "an alias has 1 to %d characters, and no '#' nor '@'",
				     MAX_ID);
	snprintf(alias, sizeof(alias), "%s@%s", reader->prefix, name);
	error = cables_alias(&reader->cables, alias, end->node, end->port);
	if (error == -EEXIST)
		return netlist_wrong(reader, "there is already an alias \"%s\"", alias);
	return error ? netlist_no_memory(reader) : 0;
}

/*
 * read_cable reads a cable. A far node is named by its id in this module, "module#id", "@alias" or
 * "module@alias".
 */
static int read_cable(struct reader *reader, const struct cable_end *end, const char *name,
		      const char *rest)
{
	char remote[MAX_PREFIX + 1 + MAX_REMOTE + 1];
	bool own = !strpbrk(name, "#@") && *reader->prefix;
	unsigned long port = 1;
	struct cable_end named;
	char *after;

	if (strlen(name) > MAX_REMOTE)
		return netlist_wrong(reader, "the far node's name is too long");
	snprintf(remote, sizeof(remote), "%s%s%.*s", own || *name == '@' ? reader->prefix : "",
		 own ? "#" : "", MAX_REMOTE, name);
	if (*rest == '[') {
		port = strtoul(rest + 1, &after, 10);
		if (port < 1 || port > BUILDER_MAX_PORTS || *after != ']')
			return netlist_wrong(reader, "the far port is not 1 to %d",
					     BUILDER_MAX_PORTS);
	}
	named = *end;
	named.remote = remote;
	named.remote_port = strchr(name, '@') ? 0 : (unsigned int)port;
	return cables_add(&reader->cables, &named) ? netlist_no_memory(reader) : 0;
}

int netlist_port(struct reader *reader, char *text)
{
	struct cable_end end = { .node = reader->node, .file = reader->path, .line = reader->line };
	bool alias = *text == '@';
	char *name, *rest;
	int error;

	if (!reader->node)
		return netlist_wrong(reader, "a port's line, but no node above it");
	error = near_port(reader, text + alias, &end.port);
	if (error)
		return error;
	name = netlist_quoted(text, &rest);
	if (!name)
		return netlist_wrong(reader, "a port needs the far node's name in quotes");
	if (alias)
		error = read_alias(reader, &end, name);
	else
		error = read_cable(reader, &end, name, rest);
	return error ? error : port_tail(reader, end.port, rest);
}
