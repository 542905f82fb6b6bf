/* SPDX-License-Identifier: BSD-2-Clause */
/* P_KeyTable: which partitions a port is in, and, by the highest bit, whether in full. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "fabric/sma/port_tables.h"

#define ENTRY_BYTES   2
#define BLOCK_ENTRIES (ATTRIBUTE_BYTES / ENTRY_BYTES)
#define DEFAULT_PKEY  0xff /* both its bytes */

/* Full membership of the default partition. */
static void make(uint8_t *table, size_t size)
{
	memset(table, 0, size);
	memset(table, DEFAULT_PKEY, ENTRY_BYTES);
}

_Static_assert(PKEY_CAP_CA <= FABRIC_PKEYS && PKEY_CAP_SWITCH <= FABRIC_PKEYS,
	       "the tables of attached ports");

static size_t capacity(const struct node *node, const struct port *port)
{
	if (node->type != NODE_SWITCH)
		return PKEY_CAP_CA;
	return port == node->port ? PKEY_CAP_SWITCH : PKEY_CAP_SWITCH_PORT;
}

static struct table_part part_of(size_t entries, size_t first, size_t count)
{
	return (struct table_part){
		.table = offsetof(struct port_tables, pkeys),
		.size = entries * ENTRY_BYTES,
		.first = first * ENTRY_BYTES,
		.count = count * ENTRY_BYTES,
		.make = make,
	};
}

static size_t at_most_a_block(size_t entries)
{
	return entries < BLOCK_ENTRIES ? entries : BLOCK_ENTRIES;
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
	part = part_of(entries, first, at_most_a_block(entries - first));
	if (is_set(request) && table_set(port, &part, request->data))
		return -ENOMEM;
	port->pkey_sets += is_set(request);
	table_get(port, &part, request->data);
	return 0;
}

unsigned int fabric_pkeys(const struct fabric *fabric, int endpoint, uint16_t *pkeys)
{
	const struct place *place = &fabric->endpoints[endpoint];
	const struct port *port = &place->node->port[place->port];
	size_t entries = capacity(place->node, port);
	uint8_t block[ATTRIBUTE_BYTES];

	for (size_t first = 0; first < entries; first += BLOCK_ENTRIES) {
		struct table_part part = part_of(entries, first, at_most_a_block(entries - first));

		table_get(port, &part, block);
		for (size_t i = 0; i < part.count / ENTRY_BYTES; i++)
			pkeys[first + i] = (uint16_t)(block[2 * i] << 8 | block[2 * i + 1]);
	}
	return (unsigned int)entries;
}
