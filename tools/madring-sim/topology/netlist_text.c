/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a netlist's lines: names and numbers, the settings for nodes below, and what
 * ibnetdiscover adds behind the '#'.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/link.h"
#include "topology/netlist.h"

#define EXT_SPEEDS_TO_NDR 15

int netlist_wrong(struct reader *reader, const char *format, ...)
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

int netlist_no_memory(struct reader *reader)
{
	netlist_wrong(reader, "out of memory");
	return -ENOMEM;
}

char *netlist_quoted(char *text, char **rest)
{
	char *start = strchr(text, '"');
	char *end = start ? strchr(start + 1, '"') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return start + 1;
}

bool netlist_plain_name(const char *name)
{
	return *name && !strpbrk(name, "#@");
}

int netlist_value(struct reader *reader, const char *text, unsigned long long max,
		  unsigned long long *value)
{
	const char *start = strpbrk(text, "=+");
	char *end;

	*value = 0; /* after an error too, so that compilers see it set */
	if (!start)
		return netlist_wrong(reader, "'=' and a number expected");
	errno = 0;
	*value = strtoull(++start, &end, 0);
	if (end == start || (*end && *end != '(' && *end != '#' && !isspace((unsigned char)*end)))
		return netlist_wrong(reader, "a number expected behind '='");
	if (errno || *value > max)
		return netlist_wrong(reader, "the number is more than 0x%llx", max);
	return 0;
}

int netlist_mask(struct reader *reader, const char *text, unsigned int min, unsigned int max,
		 uint8_t *mask)
{
	unsigned long long value;

	if (netlist_value(reader, text, max, &value))
		return -EINVAL;
	if (value < min)
		return netlist_wrong(reader, "%u to %u expected behind '='", min, max);
	*mask = (uint8_t)value;
	return 0;
}

static int set_guid(struct reader *reader, enum node_type type, const char *text)
{
	unsigned long long guid;

	if (netlist_value(reader, text, UINT64_MAX, &guid))
		return -EINVAL;
	if (*strpbrk(text, "=+") == '=')
		reader->guid_base[type] = guid;
	else
		guid += reader->guid_base[type];
	reader->builder.next_guid[type] = guid;
	return 0;
}

/* netlist_switch_guid reads "switchguid=0x1(2)": ibnetdiscover adds the port GUID, without a 0x. */
int netlist_switch_guid(struct reader *reader, char *text)
{
	const char *port_guid = strchr(text, '(');

	reader->port_guid = port_guid ? strtoull(port_guid + 1, NULL, 16) : 0;
	return set_guid(reader, NODE_SWITCH, text);
}

int netlist_ca_guid(struct reader *reader, char *text)
{
	return set_guid(reader, NODE_CA, text);
}

int netlist_router_guid(struct reader *reader, char *text)
{
	return set_guid(reader, NODE_ROUTER, text);
}

int netlist_vendor(struct reader *reader, char *text)
{
	unsigned long long value;
	int error = netlist_value(reader, text, 0xffffff, &value);

	if (!error)
		reader->vendor_id = (uint32_t)value;
	return error;
}

int netlist_device(struct reader *reader, char *text)
{
	unsigned long long value;
	int error = netlist_value(reader, text, 0xffff, &value);

	if (!error)
		reader->device_id = (uint16_t)value;
	return error;
}

int netlist_system_guid(struct reader *reader, char *text)
{
	unsigned long long value;
	int error = netlist_value(reader, text, UINT64_MAX, &value);

	if (!error)
		reader->system_guid = value;
	return error;
}

int netlist_width(struct reader *reader, char *text)
{
	return netlist_mask(reader, text, 1, 31, &reader->builder.port.width_enabled);
}

int netlist_speed(struct reader *reader, char *text)
{
	return netlist_mask(reader, text, 1, 7, &reader->builder.port.speed_enabled);
}

int netlist_ext_mask(struct reader *reader, const char *text, uint8_t *mask)
{
	int error = netlist_mask(reader, text, 0, EXT_SPEEDS_TO_NDR | TOPOLOGY_SPEED_XDR, mask);

	if (!error && *mask & ~(EXT_SPEEDS_TO_NDR | TOPOLOGY_SPEED_XDR))
		return netlist_wrong(reader, "no extended speed is 16");
	return error;
}

int netlist_ext_speed(struct reader *reader, char *text)
{
	return netlist_ext_mask(reader, text, &reader->builder.port.speed_ext_enabled);
}

int netlist_prefix(struct reader *reader, char *text)
{
	char *rest;
	char *prefix = strchr(text, '=') ? netlist_quoted(text, &rest) : NULL;

	if (!prefix || strlen(prefix) > MAX_PREFIX)
		return netlist_wrong(reader,
				     "'=' and a name of at most %d characters in quotes expected",
				     MAX_PREFIX);
	snprintf(reader->prefix, sizeof(reader->prefix), "%s", prefix);
	return 0;
}

#define MAX_UNICAST_LID 0xbfff
#define MAX_LMC		7

/* number_after reads the number behind @key, if there is one. Returns 0 or -EINVAL. */
static int number_after(const char *text, const char *key, unsigned long max, unsigned long *number)
{
	const char *at = strstr(text, key);
	unsigned long value;

	if (!at)
		return 0;
	value = strtoul(at + strlen(key), NULL, 0);
	if (value > max)
		return -EINVAL;
	*number = value;
	return 0;
}

static int lid_and_lmc(struct topology_port *port, const char *text)
{
	unsigned long lid = port->lid, lmc = port->lmc;

	if (number_after(text, "lid ", MAX_UNICAST_LID, &lid) ||
	    number_after(text, "lmc ", MAX_LMC, &lmc))
		return -EINVAL;
	port->lid = (uint16_t)lid;
	port->lmc = (uint8_t)lmc;
	return 0;
}

/*
 * unquoted_end returns where a description without quotes ends: at the first of the words that
 * ibnetdiscover adds. Returns NULL if there is none.
 */
static char *unquoted_end(char *text)
{
	static const char *const words[] = { " enhanced port ", " base port ", " lid ", " lmc " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *end = strstr(text, words[i]);

		if (end)
			return end;
	}
	return NULL;
}

int netdiscover_node(struct topology_node *node, char *text)
{
	char *description = text + (*text == '#');
	char *end, *rest;

	while (isspace((unsigned char)*description))
		description++;
	if (*description == '"') {
		description++;
		end = strchr(description, '"');
	} else {
		end = unquoted_end(description);
	}
	rest = end ? end + 1 : description + strlen(description);
	if (end)
		*end = '\0';
	if (*description && builder_describe(node, description))
		return -ENOMEM;
	if (node->type != NODE_SWITCH)
		return 0;
	node->enhanced_port0 = strstr(rest, "enhanced port 0") != NULL;
	return lid_and_lmc(&node->port[0], rest);
}

/* width_and_speed reads "lid 1 4xQDR", which ends the line, or comes before what --full adds. */
static void width_and_speed(struct topology_port *port, const char *text)
{
	const char *quote = strrchr(text, '"');
	const char *at = strstr(quote ? quote : text, "lid ");
	char name[8];
	unsigned long lanes;
	char *end;

	if (!at)
		return;
	strtoul(at + strlen("lid "), &end, 0);
	lanes = strtoul(end, &end, 10);
	if (*end != 'x')
		return;
	end++;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(end, " \t"), end);
	link_set_width(port, lanes <= 12 ? (unsigned int)lanes : 0);
	link_set_speed(port, name);
}

int netdiscover_port(struct topology_node *node, unsigned int number, const char *text)
{
	struct topology_port *port = &node->port[number];
	const char *quote = strchr(text, '"');

	width_and_speed(port, text);
	/* A switch's line has only the far port's LID; the near one stands before the quote. */
	if (node->type == NODE_SWITCH || !quote)
		return 0;
	return lid_and_lmc(port, text);
}
