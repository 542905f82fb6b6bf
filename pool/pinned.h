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
	size_t bytes;	     /* that can be used: whole pages */
	size_t locked_bytes; /* of them */
	size_t huge_bytes;   /* of them, in pages of hugetlbfs: all or none */
	size_t reserved;     /* whole pages, at least what was asked for */
	enum madring_pin pin;
	void *mapping; /* with what surrounds it */
	size_t mapping_bytes;
};

/*
 * Reserves addresses for @bytes bytes (0: none); pinned_grow() brings memory there, except that
 * huge pages of hugetlbfs come at once. Returns 0, -EINVAL when no address space holds so many
 * bytes, or -ENOMEM.
 */
int pinned_reserve(struct pinned *memory, size_t bytes, enum madring_pin pin);
/*
 * Adds @bytes bytes, rounded up to pages, or what is left of the reserved ones. 0, -ENOMEM, or,
 * when the memory has to be pinned, -ENOBUFS at the memory-lock limit; then nothing has changed.
 */
int pinned_grow(struct pinned *memory, size_t bytes);
/* Reserves @bytes bytes and brings memory to all of them. Fails as pinned_reserve() and
   pinned_grow() do. */
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
