/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/netlist.h"

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

/* "switchguid=0x1(2)": ibnetdiscover adds the port GUID, without a 0x. */
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

int netlist_ext_speed(struct reader *reader, char *text)
{
	return netlist_mask(reader, text, 0, 15, &reader->builder.port.speed_ext_enabled);
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
