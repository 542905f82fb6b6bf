/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "fault.h"
#include "poison.h"
#include "runs.h"

#define CACHE_LINE 64u

/* jemalloc lets an arena grow by so much, or more, at a time. */
#define LEAST_GROWTH ((size_t)2 << 20)

struct arena {
	extent_hooks_t hooks; /* first: it is what jemalloc hands back */
	struct pinned memory;
	struct runs runs;
	size_t page;
	size_t padding; /* that jemalloc may add to a large buffer: a page of its own size */
	size_t most;	/* that an extent may have now */
	unsigned int index;
	bool created;
	uint64_t *taken; /* a bit for each cache line that a buffer may start at */
	uint64_t in_use, peak, exhausted;
};

static struct arena *of_hooks(extent_hooks_t *hooks)
{
	return (struct arena *)hooks;
}

/*
 * jemalloc asks for more than it needs, and never gives the rest back: memory that a bounded
 * region would lose for any longer buffer. Refused, it asks again for what it needs.
 */
static void *take_extent(extent_hooks_t *hooks, void *address, size_t bytes, size_t alignment,
			 bool *zero, bool *commit, unsigned int index)
{
	struct arena *arena = of_hooks(hooks);
	uint64_t offset = (uintptr_t)arena->memory.base / arena->page;
	unsigned char *extent;
	uint32_t first;

	(void)index;
	if (address || bytes > arena->most)
		return NULL;
	first = runs_take(&arena->runs, (uint32_t)(bytes / arena->page), alignment / arena->page,
			  offset);
	if (first == RUNS_NONE)
		return NULL;
	extent = arena->memory.base + first * arena->page;
	if (*zero)
		memset(extent, 0, bytes);
	*commit = true;
	return extent;
}

static bool give_extent(extent_hooks_t *hooks, void *extent, size_t bytes, bool committed,
			unsigned int index)
{
	struct arena *arena = of_hooks(hooks);
	size_t offset = pinned_offset(&arena->memory, extent);

	(void)committed;
	(void)index;
	runs_give(&arena->runs, (uint32_t)(offset / arena->page), (uint32_t)(bytes / arena->page));
	return false;
}

static bool split_extent(extent_hooks_t *hooks, void *extent, size_t bytes, size_t first_bytes,
			 size_t second_bytes, bool committed, unsigned int index)
{
	(void)hooks;
	(void)extent;
	(void)bytes;
	(void)first_bytes;
	(void)second_bytes;
	(void)committed;
	(void)index;
	return false;
}

static bool merge_extents(extent_hooks_t *hooks, void *first, size_t first_bytes, void *second,
			  size_t second_bytes, bool committed, unsigned int index)
{
	(void)hooks;
	(void)first;
	(void)first_bytes;
	(void)second;
	(void)second_bytes;
	(void)committed;
	(void)index;
	return false;
}

/* No purging and no decommitting: the memory is pinned. */
static const extent_hooks_t region_hooks = {
	.alloc = take_extent,
	.dalloc = give_extent,
	.split = split_extent,
	.merge = merge_extents,
};

static int control(const struct arena *arena, const char *what, void *value, size_t bytes)
{
	char name[64];

	snprintf(name, sizeof(name), "arena.%u.%s", arena->index, what);
	return mallctl(name, NULL, NULL, value, bytes) ? -ENOMEM : 0;
}

/*
 * The hooks are set once the arena is there, so that jemalloc's own bookkeeping is not in the
 * region. Without decay what is free comes back to the region at once, where it joins its
 * neighbours.
 */
static int create(struct arena *arena)
{
	size_t index_bytes = sizeof(arena->index);
	size_t padding_bytes = sizeof(arena->padding);
	extent_hooks_t *hooks = &arena->hooks;
	ssize_t at_once = 0;
	int error;

	if (mallctl("arenas.page", &arena->padding, &padding_bytes, NULL, 0) ||
	    mallctl("arenas.create", &arena->index, &index_bytes, NULL, 0))
		return -ENOMEM;
	arena->created = true;
	error = control(arena, "extent_hooks", &hooks, sizeof(void *));
	if (!error)
		error = control(arena, "dirty_decay_ms", &at_once, sizeof(at_once));
	if (!error)
		error = control(arena, "muzzy_decay_ms", &at_once, sizeof(at_once));
	return error;
}

static int fill(struct arena *arena, size_t bytes, enum madring_pin pin)
{
	size_t lines;
	int error;

	arena->hooks = region_hooks;
	arena->page = (size_t)sysconf(_SC_PAGESIZE);
	if (bytes / arena->page >= RUNS_NONE)
		return -EINVAL;
	error = pinned_map(&arena->memory, bytes, pin);
	if (error)
		return error;
	poison(arena->memory.base, arena->memory.bytes);
	lines = arena->memory.bytes / CACHE_LINE;
	arena->taken = calloc(lines / 64, sizeof(*arena->taken));
	if (!arena->taken)
		return -ENOMEM;
	error = runs_open(&arena->runs, (uint32_t)(arena->memory.bytes / arena->page));
	if (error)
		return error;
	return create(arena);
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
	if (arena->created)
		control(arena, "destroy", NULL, 0);
	runs_close(&arena->runs);
	free(arena->taken);
	pinned_unmap(&arena->memory);
	free(arena);
}

static int flags(const struct arena *arena)
{
	return MALLOCX_ARENA(arena->index) | MALLOCX_TCACHE_NONE | MALLOCX_ALIGN(CACHE_LINE);
}

struct taken_bit {
	uint64_t *word;
	uint64_t mask;
};

static struct taken_bit taken_bit(const struct arena *arena, const void *buffer)
{
	size_t line = pinned_offset(&arena->memory, buffer) / CACHE_LINE;

	return (struct taken_bit){
		.word = &arena->taken[line / 64],
		.mask = (uint64_t)1 << line % 64,
	};
}

static struct taken_bit check_taken(const struct arena *arena, const void *buffer)
{
	struct taken_bit taken = taken_bit(arena, buffer);

	if ((uintptr_t)buffer % CACHE_LINE)
		pool_fault(buffer, "not the start of a buffer");
	if (!(*taken.word & taken.mask))
		pool_fault(buffer, "given back, but not taken");
	return taken;
}

static void set_taken(const struct arena *arena, const void *buffer)
{
	struct taken_bit taken = taken_bit(arena, buffer);

	*taken.word |= taken.mask;
}

/* What jemalloc makes of a buffer's size; 0: more than there is. */
static size_t size_of(const struct arena *arena, size_t bytes)
{
	size_t size = bytes <= arena->memory.bytes ? nallocx(bytes, flags(arena)) : 0;

	return size <= arena->memory.bytes ? size : 0;
}

bool arena_may_have_room(const struct arena *arena, size_t bytes)
{
	return arena->in_use && size_of(arena, bytes);
}

void *arena_take(struct arena *arena, size_t bytes)
{
	size_t size = size_of(arena, bytes);
	void *buffer = NULL;

	if (size) {
		arena->most = size + arena->padding;
		if (arena->most < LEAST_GROWTH)
			arena->most = LEAST_GROWTH - 1;
		buffer = mallocx(bytes, flags(arena));
	}
	if (!buffer) {
		arena->exhausted++;
		return NULL;
	}
	set_taken(arena, buffer);
	unpoison(buffer, size);
	arena->in_use += size;
	if (arena->in_use > arena->peak)
		arena->peak = arena->in_use;
	return buffer;
}

void arena_give(struct arena *arena, void *buffer)
{
	struct taken_bit taken = check_taken(arena, buffer);
	size_t size = sallocx(buffer, 0);

	*taken.word &= ~taken.mask;
	arena->in_use -= size;
	poison(buffer, size);
	dallocx(buffer, MALLOCX_TCACHE_NONE);
}

size_t arena_buffer_bytes(const struct arena *arena, const void *buffer)
{
	check_taken(arena, buffer);
	return sallocx(buffer, 0);
}

bool arena_holds(const struct arena *arena, const void *buffer)
{
	return pinned_holds(&arena->memory, buffer);
}

const struct pinned *arena_memory(const struct arena *arena)
{
	return &arena->memory;
}

void arena_stats(const struct arena *arena, struct madring_pool_class_stats *stats)
{
	*stats = (struct madring_pool_class_stats){
		.capacity = arena->memory.bytes,
		.in_use = arena->in_use,
		.peak = arena->peak,
		.exhausted = arena->exhausted,
	};
}
