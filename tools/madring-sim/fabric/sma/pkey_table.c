/* SPDX-License-Identifier: BSD-2-Clause */
/* P_KeyTable: which partitions a port is in, and, by the highest bit, whether in full. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "port_tables.h"

#define ENTRY_BYTES   2
#define BLOCK_ENTRIES (ATTRIBUTE_BYTES / ENTRY_BYTES)
#define DEFAULT_PKEY  0xff /* both its bytes */

/* Full membership of the default partition. */
static void make(uint8_t *table, size_t size)
{
	memset(table, 0, size);
	memset(table, DEFAULT_PKEY, ENTRY_BYTES);
}

static size_t capacity(const struct node *node, const struct port *port)
{
	if (node->type != NODE_SWITCH)
		return PKEY_CAP_CA;
	return port == node->port ? PKEY_CAP_SWITCH : PKEY_CAP_SWITCH_PORT;
}

int pkey_table(const struct request *request)
{
	const struct node *node = request->node;
	unsigned int number = node->type == NODE_SWITCH ? request->modifier >> 16 : request->port;
	struct port *port = named_port(request, number);
	size_t first = (request->modifier & 0xffff) * BLOCK_ENTRIES;
	struct table_part part;
	size_t entries;

	if (!port || first >= capacity(node, port))
		return IB_MAD_STS_INV_ATTR_VALUE;
	entries = capacity(node, port);
	part = (struct table_part){
		.table = offsetof(struct port_tables, pkeys),
		.size = entries * ENTRY_BYTES,
		.first = first * ENTRY_BYTES,
		.count = (entries - first < BLOCK_ENTRIES ? entries - first : BLOCK_ENTRIES) *
			 ENTRY_BYTES,
		.make = make,
	};
	if (is_set(request) && table_set(port, &part, request->data))
		return -ENOMEM;
	table_get(port, &part, request->data);
	return 0;
}
