/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates the engine's tables. */
#ifndef MADRING_BASE_TABLE_H
#define MADRING_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns room for @count entries of @size bytes, or NULL. It starts at a cache line and is not
 * cleared. Large tables get huge pages if the system has some, because accesses are spread all
 * over them. Free it with free(3).
 */
void *table_alloc(size_t count, size_t size);

/* Returns how many bits, 1 to 31, are needed to number @count entries. */
unsigned int table_bits(uint32_t count);

#endif
