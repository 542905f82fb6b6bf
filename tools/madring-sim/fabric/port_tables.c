/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/port_tables.h"

static uint8_t **stored(const struct port *port, const struct table_part *part)
{
	return (uint8_t **)((char *)port->tables + part->table);
}

void table_get(const struct port *port, const struct table_part *part, uint8_t *data)
{
	uint8_t made[MAX_TABLE_BYTES];
	const uint8_t *table = port->tables ? *stored(port, part) : NULL;

	if (!table) {
		part->make(made, part->size);
		table = made;
	}
	memcpy(data, table + part->first, part->count);
	memset(data + part->count, 0, ATTRIBUTE_BYTES - part->count);
}

static bool is_as_it_came(const struct table_part *part, const uint8_t *data)
{
	uint8_t made[MAX_TABLE_BYTES];

	part->make(made, part->size);
	return !memcmp(made + part->first, data, part->count);
}

static int make_table(struct port *port, const struct table_part *part)
{
	uint8_t *table;

	if (!port->tables)
		port->tables = calloc(1, sizeof(*port->tables));
	table = port->tables ? malloc(part->size) : NULL;
	if (!table)
		return -ENOMEM;
	part->make(table, part->size);
	*stored(port, part) = table;
	return 0;
}

int table_set(struct port *port, const struct table_part *part, const uint8_t *data)
{
	if (!port->tables || !*stored(port, part)) {
		if (is_as_it_came(part, data))
			return 0;
		if (make_table(port, part))
			return -ENOMEM;
	}
	memcpy(*stored(port, part) + part->first, data, part->count);
	return 0;
}

void port_tables_free(struct port *port)
{
	struct port_tables *tables = port->tables;

	if (!tables)
		return;
	free(tables->pkeys);
	free(tables->sl_to_vl);
	free(tables->vl_arbitration);
	free(tables->guids);
	free(tables);
	port->tables = NULL;
	port->pkey_sets++;
}

#define DEFAULT_PKEY   0xff /* both its bytes */
#define PKEYS_OF_BLOCK (ATTRIBUTE_BYTES / PKEY_BYTES)

/* make_pkeys makes a table with full membership of the default partition. */
static void make_pkeys(uint8_t *table, size_t size)
{
	memset(table, 0, size);
	memset(table, DEFAULT_PKEY, PKEY_BYTES);
}

static size_t pkey_capacity(const struct node *node, const struct port *port)
{
	if (node->type != NODE_SWITCH)
		return PKEY_CAP_CA;
	return port == node->port ? PKEY_CAP_SWITCH : PKEY_CAP_SWITCH_PORT;
}

bool pkey_part(const struct node *node, const struct port *port, size_t block,
	       struct table_part *part)
{
	size_t capacity = pkey_capacity(node, port), first = block * PKEYS_OF_BLOCK;
	size_t left = capacity > first ? capacity - first : 0;

	*part = (struct table_part){
		.table = offsetof(struct port_tables, pkeys),
		.size = capacity * PKEY_BYTES,
		.first = first * PKEY_BYTES,
		.count = (left < PKEYS_OF_BLOCK ? left : PKEYS_OF_BLOCK) * PKEY_BYTES,
		.make = make_pkeys,
	};
	return left;
}
