/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wraps a jemalloc arena whose extents are runs of a region's pages. The library does not link
 * jemalloc, because jemalloc's thread-local memory would prevent dlopen(3) of the library. The
 * arena therefore exists only in processes that have jemalloc.
 */
#ifndef MADRING_POOL_JEMALLOC_H
#define MADRING_POOL_JEMALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "region.h"

struct jemalloc_arena;

/* `jemalloc_is_here` returns whether the process has jemalloc of a supported version and page. */
bool jemalloc_is_here(void);

/* `jemalloc_arena_open` makes an arena in @region, whose unit is a page. Returns 0 or -ENOMEM. */
int jemalloc_arena_open(struct jemalloc_arena **arena, struct region *region);
/* `jemalloc_arena_close` frees the arena and all of its buffers. Accepts NULL. */
void jemalloc_arena_close(struct jemalloc_arena *arena);

/*
 * `jemalloc_arena_size` returns the size to which jemalloc rounds @bytes, or 0 if that is too
 * much.
 */
size_t jemalloc_arena_size(const struct jemalloc_arena *arena, size_t bytes, size_t alignment);

/*
 * `jemalloc_arena_take` returns a buffer of a size from jemalloc_arena_size(), or NULL when the
 * region has no room.
 */
void *jemalloc_arena_take(struct jemalloc_arena *arena, size_t size, size_t alignment);

/* `jemalloc_arena_give` gives back a buffer. */
void jemalloc_arena_give(void *buffer);

#endif
