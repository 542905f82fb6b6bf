/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slab holds buffers of one size in pinned memory, and a stack of the free ones. Its records are
 * outside the buffers, so that it never touches the memory of a free buffer.
 *
 * Taking and giving are inline and get the stride as an argument. The stride is then a constant at
 * the call, and finding a buffer's number needs no division.
 */
#ifndef MADRING_POOL_SLAB_H
#define MADRING_POOL_SLAB_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "pinned.h"
#include "poison.h"

/* Says who has a buffer. */
enum slab_owner {
	SLAB_FREE,
	SLAB_LIBRARY, /* taken by the driver, the engine or RMPP, or lent to a callback */
	SLAB_PROGRAM, /* the program may send it or give it back */
};

struct slab {
	unsigned char *base;
	uint32_t *free; /* numbers of free buffers; the last given back is on top */
	uint8_t *owner; /* by number, an enum slab_owner */
	uint32_t count;
	uint32_t free_count;
	uint32_t free_least; /* the least that free_count has been */
	uint64_t exhausted;
	struct pinned memory;
};

/* `slab_open` maps @count buffers of @stride bytes. Returns 0, or an error of pinned_map(). */
int slab_open(struct slab *slab, uint32_t count, size_t stride, enum madring_pin pin);

/* `slab_close` frees all buffers. */
void slab_close(struct slab *slab);

/* `slab_holds` returns whether the address is in the slab's memory. */
static inline bool slab_holds(const struct slab *slab, const void *buffer)
{
	return pinned_holds(&slab->memory, buffer);
}

/* `slab_at` returns the buffer with the number @index. */
static inline void *slab_at(const struct slab *slab, uint32_t index, size_t stride)
{
	assert(index < slab->count);
	return slab->base + index * stride;
}

/*
 * `slab_index` returns the number of a buffer in the slab. Aborts when @buffer is not the start of
 * one.
 */
static inline uint32_t slab_index(const struct slab *slab, const void *buffer, size_t stride)
{
	size_t offset = pinned_offset(&slab->memory, buffer);
	size_t index = offset / stride;

	if (index >= slab->count || index * stride != offset)
		pool_fault(buffer, "not the start of a buffer");
	return (uint32_t)index;
}

/* `slab_take` returns a free buffer, now @owner's, or NULL when there is none. */
static inline void *slab_take(struct slab *slab, size_t stride, enum slab_owner owner)
{
	uint32_t index;
	void *buffer;

	if (!slab->free_count) {
		slab->exhausted++;
		return NULL;
	}
	index = slab->free[--slab->free_count];
	if (slab->free_count < slab->free_least)
		slab->free_least = slab->free_count;
	slab->owner[index] = (uint8_t)owner;
	buffer = slab_at(slab, index, stride);
	unpoison(buffer, stride);
	return buffer;
}

/* `slab_give` gives back a buffer in the slab. Aborts when it is not taken. */
static inline void slab_give(struct slab *slab, void *buffer, size_t stride)
{
	uint32_t index = slab_index(slab, buffer, stride);

	if (slab->owner[index] == SLAB_FREE)
		pool_fault(buffer, "given back, but not taken");
	assert(slab->free_count < slab->count);
	slab->owner[index] = SLAB_FREE;
	poison(buffer, stride);
	slab->free[slab->free_count++] = index;
}

#endif
