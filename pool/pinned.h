/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps memory that is populated and stays resident, in huge pages where there are any. */
#ifndef MADRING_POOL_PINNED_H
#define MADRING_POOL_PINNED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/ring.h>

struct pinned {
	unsigned char *base;
	size_t bytes;	     /* usable, whole pages */
	size_t locked_bytes; /* of .bytes */
	size_t huge_bytes;   /* of .bytes, in pages of hugetlbfs: all or none */
	size_t reserved;     /* address space: whole pages, at least the requested bytes */
	enum madring_pin pin;
	void *mapping; /* the whole mapping, guard pages and alignment included */
	size_t mapping_bytes;
};

/*
 * `pinned_reserve` reserves address space for @bytes bytes, which may be 0. pinned_grow() adds
 * memory there; huge pages of hugetlbfs are added at once. Returns 0, -EINVAL when no address space
 * holds that many bytes, or -ENOMEM.
 */
int pinned_reserve(struct pinned *memory, size_t bytes, enum madring_pin pin);
/*
 * `pinned_grow` adds @bytes bytes, rounded up to pages, or the rest of the reserved ones. Returns
 * 0, -ENOMEM, or, with MADRING_PIN_REQUIRED, -ENOBUFS at the memory-lock limit. On an error nothing
 * changes.
 */
int pinned_grow(struct pinned *memory, size_t bytes);

/*
 * `pinned_map` reserves @bytes bytes and adds memory for all of them. Returns 0, or an error of
 * pinned_reserve() or pinned_grow().
 */
int pinned_map(struct pinned *memory, size_t bytes, enum madring_pin pin);

/* `pinned_unmap` frees the memory and the address space. */
void pinned_unmap(struct pinned *memory);

/* `pinned_offset` returns the offset of an address from the base, in bytes. */
static inline size_t pinned_offset(const struct pinned *memory, const void *address)
{
	return (uintptr_t)address - (uintptr_t)memory->base;
}

/* `pinned_holds` returns whether the address is in the usable memory. */
static inline bool pinned_holds(const struct pinned *memory, const void *address)
{
	return pinned_offset(memory, address) < memory->bytes;
}

#endif
