/* SPDX-License-Identifier: BSD-2-Clause */
/* GUIDInfo: the port's own GUID, which stays, and those that a manager gives it besides. */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "fabric/sma/port_tables.h"

#define GUID_BYTES    8
#define BLOCK_ENTRIES (ATTRIBUTE_BYTES / GUID_BYTES)

static void make(uint8_t *table, size_t size)
{
	memset(table, 0, size);
}

int guid_info(const struct request *request)
{
	struct port *port = lid_port(request->node, request->port);
	size_t entries = request->node->type == NODE_SWITCH ? GUID_CAP_SWITCH : GUID_CAP_CA;
	uint64_t guid = htobe64(port->guid);
	struct table_part part;
	size_t first;

	if (request->modifier >= (entries + BLOCK_ENTRIES - 1) / BLOCK_ENTRIES)
		return IB_MAD_STS_INV_ATTR_VALUE;
	first = request->modifier * BLOCK_ENTRIES;
	if (entries > first + BLOCK_ENTRIES)
		entries = first + BLOCK_ENTRIES;
	part = (struct table_part){
		.table = offsetof(struct port_tables, guids),
		.size = GUID_CAP_CA * GUID_BYTES,
		.first = first * GUID_BYTES,
		.count = (entries - first) * GUID_BYTES,
		.make = make,
	};
	if (is_set(request) && table_set(port, &part, request->data))
		return -ENOMEM;
	table_get(port, &part, request->data);
	/* Whatever was set there. */
	if (!first)
		memcpy(request->data, &guid, GUID_BYTES);
	return 0;
}
