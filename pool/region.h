/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded region of pinned memory that grows as it is needed, by steps that double it, and
 * which units of it are free.
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
 * Reserves addresses for @bytes, above 0, and pins the first step. @unit: in bytes, a page or a
 * power of two below. 0, -ENOMEM, -EINVAL or -ENOBUFS as pinned_grow().
 */
int region_open(struct region *region, size_t bytes, size_t unit, enum madring_pin pin);
void region_close(struct region *region);

/*
 * Takes @bytes, a multiple of the unit, whose address is a multiple of @alignment. Returns NULL
 * when the region has no room, or when not enough memory can be pinned.
 */
void *region_take(struct region *region, size_t bytes, size_t alignment);
/* Gives back what was taken, or a part of it. */
void region_give(struct region *region, void *memory, size_t bytes);

#endif
