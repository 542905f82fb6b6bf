/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds a bounded region of pinned memory, and which units of it are free. The region grows when it
 * needs to, by steps that double it.
 */
#ifndef MADRING_POOL_REGION_H
#define MADRING_POOL_REGION_H

#include <stddef.h>

#include <madring/ring.h>

#include "pinned.h"
#include "runs.h"

struct region {
	struct pinned memory;
	struct runs runs;
	size_t unit;
	int error; /* of the last step that was refused */
};

/*
 * `region_open` reserves address space for @bytes bytes, above 0, and pins the first page. @unit:
 * in bytes, a page or a smaller power of two. Returns 0, -ENOMEM, -EINVAL, or -ENOBUFS as
 * pinned_grow().
 */
int region_open(struct region *region, size_t bytes, size_t unit, enum madring_pin pin);

/* `region_close` frees the memory. */
void region_close(struct region *region);

/*
 * `region_take` returns @bytes bytes, a multiple of the unit, at a multiple of @alignment. Returns
 * NULL when the region has no room, or not enough memory can be pinned.
 */
void *region_take(struct region *region, size_t bytes, size_t alignment);

/* `region_give` gives back memory that was taken, or a part of it. */
void region_give(struct region *region, void *memory, size_t bytes);

#endif
