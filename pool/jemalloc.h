/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A jemalloc arena whose extents are runs of a region's pages. The library does not link jemalloc,
 * whose thread-local memory keeps a library that is loaded by dlopen(3) from being loaded: the
 * arena is there only in processes that have jemalloc.
 */
#ifndef MADRING_POOL_JEMALLOC_H
#define MADRING_POOL_JEMALLOC_H

#include <stdbool.h>
#include <stddef.h>

#include "region.h"

struct jemalloc_arena;

/* Whether the process has a jemalloc of the version that this is made for. */
bool jemalloc_is_here(void);

/* @region: its unit is a page. 0 or -ENOMEM. */
int jemalloc_arena_open(struct jemalloc_arena **arena, struct region *region);
/* Takes back all buffers. NULL is accepted. */
void jemalloc_arena_close(struct jemalloc_arena *arena);

/* Returns what jemalloc makes of a buffer's size; 0: more than it ever has. */
size_t jemalloc_arena_size(const struct jemalloc_arena *arena, size_t bytes, size_t alignment);
/* Takes a buffer of jemalloc_arena_size(). NULL when the region has no room for it. */
void *jemalloc_arena_take(struct jemalloc_arena *arena, size_t size, size_t alignment);
void jemalloc_arena_give(void *buffer);

#endif
