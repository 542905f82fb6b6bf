/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that is populated and stays resident: mapped, in huge pages where they can be had. */
#ifndef MADRING_POOL_PINNED_H
#define MADRING_POOL_PINNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/ring.h>

struct pinned {
	unsigned char *base;
	size_t bytes;	   /* whole pages, at least what was asked for */
	size_t huge_bytes; /* of them, in pages of hugetlbfs: all or none */
	bool locked;
	void *mapping; /* with what surrounds it */
	size_t mapping_bytes;
};

/*
 * Maps @bytes bytes (0: none). 0, -EINVAL when no address space holds them, -ENOMEM, or, when
 * @pin requires it, -ENOBUFS at the memory-lock limit.
 */
int pinned_map(struct pinned *memory, size_t bytes, enum madring_pin pin);
void pinned_unmap(struct pinned *memory);

static inline size_t pinned_offset(const struct pinned *memory, const void *address)
{
	return (uintptr_t)address - (uintptr_t)memory->base;
}

static inline bool pinned_holds(const struct pinned *memory, const void *address)
{
	return pinned_offset(memory, address) < memory->bytes;
}

#endif
