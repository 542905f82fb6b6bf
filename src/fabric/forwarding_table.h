/* SPDX-License-Identifier: BSD-2-Clause */
/* A forwarding table, filled block by block. */
#ifndef FABRIC_FORWARDING_TABLE_H
#define FABRIC_FORWARDING_TABLE_H

#include <stdint.h>

#include "public.h"

/*
 * Returns an empty table without blocks, whose error is @error, or NULL when memory is exhausted.
 */
struct madring_table *table_new(const struct madring_node *node, enum madring_table_kind kind,
				int error);

void table_set_error(struct madring_table *table, int error);

/*
 * Makes room for the blocks that SwitchInfo, the 64 bytes of an attribute, tells of. Nothing of
 * SwitchInfo is trusted. All blocks have the error -ECANCELED until they are taken.
 */
void table_set_size(struct madring_table *table, const void *switch_info);

/* Returns how many requests a table takes, and the attribute and the modifier of one of them. */
uint32_t table_request_count(const struct madring_table *table);
uint16_t table_attribute(const struct madring_table *table);
uint32_t table_modifier(const struct madring_table *table, uint32_t request);

/* Takes the outcome of the request with a modifier: the 64 bytes of a block, or @error. */
void table_take_block(struct madring_table *table, uint32_t modifier, const void *block, int error);

#endif
