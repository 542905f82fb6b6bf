/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slab: buffers of one size in pinned memory, and a stack of the free ones. What is known
 * of a buffer is kept outside of it, so that a free buffer's memory is never touched.
 *
 * Taking and giving are inline, with the stride as an argument, so that it is a constant
 * where they are called and finding a buffer's number needs no division.
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

struct slab {
	unsigned char *base;
	uint32_t *free; /* numbers of free buffers; the last given back is on top */
	bool *taken;	/* by number */
	uint32_t count;
	uint32_t free_count;
	uint32_t free_least; /* there have ever been */
	uint64_t exhausted;
	struct pinned memory;
};

/* 0, -ENOMEM, -EINVAL or -ENOBUFS as pinned_map(). */
int slab_open(struct slab *slab, uint32_t count, size_t stride, enum madring_pin pin);
void slab_close(struct slab *slab);

static inline bool slab_holds(const struct slab *slab, const void *buffer)
{
	return pinned_holds(&slab->memory, buffer);
}

static inline void *slab_at(const struct slab *slab, uint32_t index, size_t stride)
{
	assert(index < slab->count);
	return slab->base + index * stride;
}

/* @buffer: held by the slab. */
static inline uint32_t slab_index(const struct slab *slab, const void *buffer, size_t stride)
{
	size_t offset = pinned_offset(&slab->memory, buffer);
	size_t index = offset / stride;

	if (index >= slab->count || index * stride != offset)
		pool_fault(buffer, "not the start of a buffer");
	return (uint32_t)index;
}

/* NULL when there is none. */
static inline void *slab_take(struct slab *slab, size_t stride)
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
	slab->taken[index] = true;
	buffer = slab_at(slab, index, stride);
	unpoison(buffer, stride);
	return buffer;
}

/* @buffer: held by the slab. */
static inline void slab_give(struct slab *slab, void *buffer, size_t stride)
{
	uint32_t index = slab_index(slab, buffer, stride);

	if (!slab->taken[index])
		pool_fault(buffer, "given back, but not taken");
	assert(slab->free_count < slab->count);
	slab->taken[index] = false;
	poison(buffer, stride);
	slab->free[slab->free_count++] = index;
}

#endif
