/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffers of any size in a bounded region of pinned memory: a jemalloc arena of its own, whose
 * extents are runs of the region's pages, where the process has jemalloc; elsewhere each buffer
 * is a run of the region's cache lines.
 */
#ifndef MADRING_POOL_ARENA_H
#define MADRING_POOL_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/ring.h>
#include <madring/stats.h>

#include "pinned.h"

struct arena;

/* 0, -ENOMEM, -EINVAL or -ENOBUFS as region_open(). @bytes: of the region, above 0. */
int arena_open(struct arena **arena, size_t bytes, enum madring_pin pin);
/* Takes back all buffers. NULL is accepted. */
void arena_close(struct arena *arena);

/* A buffer on a cache line's boundary; NULL when the region has no room for it. */
void *arena_take(struct arena *arena, size_t bytes);
/* Whether a buffer that could not be had may be had once others have been given back. */
bool arena_may_have_room(const struct arena *arena, size_t bytes);
/*
 * Returns why arena_take() has just returned NULL: -ENOBUFS at the memory-lock limit, else
 * -ENOMEM.
 */
int arena_refusal(const struct arena *arena);
/* @buffer: held by the arena. Aborts when it is not taken. */
void arena_give(struct arena *arena, void *buffer);
/* Bytes of a buffer, at least those asked for. Aborts when it is not taken. */
size_t arena_buffer_bytes(const struct arena *arena, const void *buffer);

bool arena_holds(const struct arena *arena, const void *buffer);
const struct pinned *arena_memory(const struct arena *arena);
void arena_stats(const struct arena *arena, struct madring_pool_class_stats *stats);

#endif
