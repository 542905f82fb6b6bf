/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocates buffers of any size in a bounded region of pinned memory. In a process with jemalloc,
 * this is a separate jemalloc arena, whose extents are runs of the region's pages. Elsewhere each
 * buffer is a run of the region's cache lines.
 */
#ifndef MADRING_POOL_ARENA_H
#define MADRING_POOL_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/ring.h>

#include "pinned.h"
#include "pool_stats.h"

struct arena;

/* `arena_open` makes an arena of @bytes bytes, above 0. Returns 0, or an error of region_open(). */
int arena_open(struct arena **arena, size_t bytes, enum madring_pin pin);
/* `arena_close` frees the arena and all of its buffers. Accepts NULL. */
void arena_close(struct arena *arena);

/* `arena_take` returns a buffer aligned to a cache line, or NULL when the region has no room. */
void *arena_take(struct arena *arena, size_t bytes);

/* `arena_may_have_room` returns whether @bytes may fit once other buffers have been given back. */
bool arena_may_have_room(const struct arena *arena, size_t bytes);
/*
 * `arena_refusal` returns why arena_take() has just returned NULL: -ENOBUFS at the memory-lock
 * limit, else -ENOMEM.
 */
int arena_refusal(const struct arena *arena);

/* `arena_give` gives back a buffer of the arena. Aborts when it is not taken. */
void arena_give(struct arena *arena, void *buffer);

/*
 * `arena_buffer_bytes` returns the size of a buffer, which is at least the requested size. Aborts
 * when the buffer is not taken.
 */
size_t arena_buffer_bytes(const struct arena *arena, const void *buffer);

/*
 * `arena_claim` makes a buffer of the program's the library's. Returns 0; -EFAULT when the address,
 * which is in the arena's region, is not that of a buffer; or -EALREADY when the buffer is not the
 * program's. `arena_release` makes a buffer the program's.
 */
int arena_claim(struct arena *arena, const void *buffer);
void arena_release(struct arena *arena, const void *buffer);

/* `arena_holds` returns whether the address is in the arena's region. */
bool arena_holds(const struct arena *arena, const void *buffer);

/* `arena_memory` returns the arena's pinned memory. */
const struct pinned *arena_memory(const struct arena *arena);

/* `arena_stats` fills @stats, in bytes. */
void arena_stats(const struct arena *arena, struct pool_class_stats *stats);

#endif
