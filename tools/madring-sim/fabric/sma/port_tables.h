/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of a port that managers may set, though they rarely do: kept from the first Set on
 * that changes something. Until then they are as they came from the factory.
 */
#ifndef SIM_PORT_TABLES_H
#define SIM_PORT_TABLES_H

#include "fabric/sma/attribute.h"

#define MAX_TABLE_BYTES (8 * 256)

struct port_tables {
	uint8_t *pkeys;
	uint8_t *sl_to_vl;
	uint8_t *vl_arbitration;
	uint8_t *guids;
};

/* One table, and a part of it. */
struct table_part {
	size_t table; /* offset in struct port_tables */
	size_t size;  /* of the table; at most MAX_TABLE_BYTES */
	size_t first, count;
	void (*make)(uint8_t *table, size_t size); /* as it came */
};

/* Gets the part into @data, which is zeroed behind it. */
void table_get(const struct port *port, const struct table_part *part, uint8_t *data);

/* Sets it from @data. 0 or -ENOMEM. */
int table_set(struct port *port, const struct table_part *part, const uint8_t *data);

/* Forgets what was set. */
void port_tables_free(struct port *port);

#endif
