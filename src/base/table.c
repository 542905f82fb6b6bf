/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/table.h"

#include <stdlib.h>
#include <sys/mman.h>

#define CACHE_LINE 64u
#define HUGE_PAGE  ((size_t)2 << 20)

void *table_alloc(size_t count, size_t size)
{
	size_t bytes = count * size;
	size_t alignment = bytes < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE;
	void *table;

	bytes = (bytes + alignment - 1) / alignment * alignment;
	table = aligned_alloc(alignment, bytes);
	/* If this fails, small pages work too, only slower. */
	if (table && alignment == HUGE_PAGE)
		madvise(table, bytes, MADV_HUGEPAGE);
	return table;
}

unsigned int table_bits(uint32_t count)
{
	unsigned int bits = 1;

	while (bits < 31 && (1u << bits) < count)
		bits++;
	return bits;
}
