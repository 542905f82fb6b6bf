/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of the engine's tables, taken when it opens. */
#ifndef MADRING_BASE_TABLE_H
#define MADRING_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * @count entries of @size bytes, at the start of a cache line, not cleared; in huge pages where
 * they can be had, because a table of many transactions is touched all over. NULL: no memory.
 * Given back by free(3).
 */
void *table_alloc(size_t count, size_t size);

/* Bits, 1 to 31, that number at least @count entries. */
unsigned int table_bits(uint32_t count);

#endif
