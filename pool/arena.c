/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "fault.h"
#include "jemalloc.h"
#include "poison.h"
#include "region.h"

#define CACHE_LINE 64u
#define OF_PROGRAM UINT32_C(0x80000000) /* in arena.taken: the buffer is the program's */

struct arena {
	struct region
		region; /* in pages, of which jemalloc's extents are, or else in cache lines */
	struct jemalloc_arena *jemalloc; /* NULL: buffers are runs of the region */
	/* How many lines a buffer has, by the line that it starts at, and OF_PROGRAM; 0: none. */
	uint32_t *taken;
	uint64_t in_use, peak, exhausted;
};

static int fill(struct arena *arena, size_t bytes, enum madring_pin pin)
{
	bool jemalloc = jemalloc_is_here();
	size_t unit = jemalloc ? (size_t)sysconf(_SC_PAGESIZE) : CACHE_LINE;
	int error = region_open(&arena->region, bytes, unit, pin);

	if (error)
		return error;
	if (arena->region.memory.reserved / CACHE_LINE >= OF_PROGRAM)
		return -EINVAL;
	arena->taken = calloc(arena->region.memory.reserved / CACHE_LINE, sizeof(*arena->taken));
	if (!arena->taken)
		return -ENOMEM;
	return jemalloc ? jemalloc_arena_open(&arena->jemalloc, &arena->region) : 0;
}

int arena_open(struct arena **result, size_t bytes, enum madring_pin pin)
{
	struct arena *arena = calloc(1, sizeof(*arena));
	int error;

	if (!arena)
		return -ENOMEM;
	error = fill(arena, bytes, pin);
	if (error) {
		arena_close(arena);
		return error;
	}
	*result = arena;
	return 0;
}

void arena_close(struct arena *arena)
{
	if (!arena)
		return;
	jemalloc_arena_close(arena->jemalloc);
	region_close(&arena->region);
	free(arena->taken);
	free(arena);
}

static uint32_t *taken_lines(const struct arena *arena, const void *buffer)
{
	return &arena->taken[pinned_offset(&arena->region.memory, buffer) / CACHE_LINE];
}

/* Returns the entry of .taken that has the number of a buffer's lines; it is not 0. */
static uint32_t *check_taken(const struct arena *arena, const void *buffer)
{
	uint32_t *lines = taken_lines(arena, buffer);

	if ((uintptr_t)buffer % CACHE_LINE)
		pool_fault(buffer, "not the start of a buffer");
	if (!*lines)
		pool_fault(buffer, "given back, but not taken");
	return lines;
}

/* Returns the size of a buffer for @bytes; 0: more than there can ever be. */
static size_t size_of(const struct arena *arena, size_t bytes)
{
	size_t most = arena->region.memory.reserved, size;

	if (!bytes || bytes > most)
		return 0;
	if (arena->jemalloc)
		size = jemalloc_arena_size(arena->jemalloc, bytes, CACHE_LINE);
	else
		size = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	return size <= most ? size : 0;
}

bool arena_may_have_room(const struct arena *arena, size_t bytes)
{
	return arena->in_use && size_of(arena, bytes);
}

int arena_refusal(const struct arena *arena)
{
	return arena->region.error ? arena->region.error : -ENOMEM;
}

static void *take(struct arena *arena, size_t size)
{
	arena->region.error = 0;
	if (!size)
		return NULL;
	if (arena->jemalloc)
		return jemalloc_arena_take(arena->jemalloc, size, CACHE_LINE);
	return region_take(&arena->region, size, CACHE_LINE);
}

void *arena_take(struct arena *arena, size_t bytes)
{
	size_t size = size_of(arena, bytes);
	void *buffer = take(arena, size);

	if (!buffer) {
		arena->exhausted++;
		return NULL;
	}
	*taken_lines(arena, buffer) = (uint32_t)(size / CACHE_LINE);
	unpoison(buffer, size);
	arena->in_use += size;
	if (arena->in_use > arena->peak)
		arena->peak = arena->in_use;
	return buffer;
}

void arena_give(struct arena *arena, void *buffer)
{
	size_t size = arena_buffer_bytes(arena, buffer);

	*taken_lines(arena, buffer) = 0;
	arena->in_use -= size;
	poison(buffer, size);
	if (arena->jemalloc)
		jemalloc_arena_give(buffer);
	else
		region_give(&arena->region, buffer, size);
}

size_t arena_buffer_bytes(const struct arena *arena, const void *buffer)
{
	return (size_t)(*check_taken(arena, buffer) & ~OF_PROGRAM) * CACHE_LINE;
}

int arena_claim(struct arena *arena, const void *buffer)
{
	uint32_t *lines = taken_lines(arena, buffer);

	if ((uintptr_t)buffer % CACHE_LINE)
		return -EFAULT;
	/* A line without a buffer may be inside of one, or belong to one that was given back. */
	if (!(*lines & OF_PROGRAM))
		return -EALREADY;
	*lines &= ~OF_PROGRAM;
	return 0;
}

void arena_release(struct arena *arena, const void *buffer)
{
	*check_taken(arena, buffer) |= OF_PROGRAM;
}

bool arena_holds(const struct arena *arena, const void *buffer)
{
	return pinned_holds(&arena->region.memory, buffer);
}

const struct pinned *arena_memory(const struct arena *arena)
{
	return &arena->region.memory;
}

void arena_stats(const struct arena *arena, struct pool_class_stats *stats)
{
	*stats = (struct pool_class_stats){
		.capacity = arena->region.memory.reserved,
		.in_use = arena->in_use,
		.peak = arena->peak,
		.exhausted = arena->exhausted,
	};
}
