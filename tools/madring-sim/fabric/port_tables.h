/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a port that managers may set, though they rarely do. A table is kept from the first
 * Set on that changes it. Until then it is as it came from the factory.
 */
#ifndef SIM_PORT_TABLES_H
#define SIM_PORT_TABLES_H

#include "fabric/node.h"

#define MAX_TABLE_BYTES (8 * 256)

struct port_tables {
	uint8_t *pkeys;
	uint8_t *sl_to_vl;
	uint8_t *vl_arbitration;
	uint8_t *guids;
};

/* A part of one table. */
struct table_part {
	size_t table; /* offset in struct port_tables */
	size_t size;  /* of the table; at most MAX_TABLE_BYTES */
	size_t first, count;
	void (*make)(uint8_t *table, size_t size); /* makes the table as it came */
};

/* table_get copies a part into @data, which is an attribute, and zeroes the rest of it. */
void table_get(const struct port *port, const struct table_part *part, uint8_t *data);

/* table_set sets a part from @data. Returns 0 or -ENOMEM. */
int table_set(struct port *port, const struct table_part *part, const uint8_t *data);

/* port_tables_free forgets what was set. */
void port_tables_free(struct port *port);

#define PKEY_BYTES 2

/* pkey_part names a block of a port's P_Key table. False: the table is not so long. */
bool pkey_part(const struct node *node, const struct port *port, size_t block,
	       struct table_part *part);

#endif
