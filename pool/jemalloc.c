/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jemalloc.h"

#pragma weak dallocx
#pragma weak mallctl
#pragma weak mallocx
#pragma weak nallocx

/* jemalloc lets an arena grow by so much, or more, at a time. */
#define LEAST_GROWTH ((size_t)2 << 20)
#define LONGEST_PAGE ((size_t)4 << 10)

struct jemalloc_arena {
	extent_hooks_t hooks; /* first: it is what jemalloc hands back */
	struct region *region;
	size_t padding; /* that jemalloc may add to a large buffer: a page */
	size_t most;	/* that an extent may have now */
	unsigned int index;
	bool created;
};

/*
 * Tells whether the version is 5.3 or a later 5. Other majors may have hooks of another layout.
 * When jemalloc before 5.3 destroys an arena, it gives the hooks memory that is not from them. Some
 * other allocators have functions of these names and another version.
 */
static bool is_version_supported(void)
{
	const char *version;
	size_t bytes = sizeof(version);

	return !mallctl("version", (void *)&version, &bytes, NULL, 0) &&
	       !strncmp(version, "5.", 2) && strtoul(version + 2, NULL, 10) >= 3;
}

/*
 * Tells whether jemalloc's page is the system's, and small. jemalloc rounds what it takes to its
 * own pages, which can be longer: 64 KiB in a distribution for several processors. A region of few
 * such pages would have room for few messages.
 */
static bool is_page_supported(void)
{
	size_t page, bytes = sizeof(page);

	return !mallctl("arenas.page", &page, &bytes, NULL, 0) && page <= LONGEST_PAGE &&
	       page == (size_t)sysconf(_SC_PAGESIZE);
}

bool jemalloc_is_here(void)
{
	return mallctl && mallocx && dallocx && nallocx && is_version_supported() &&
	       is_page_supported();
}

static struct jemalloc_arena *of_hooks(extent_hooks_t *hooks)
{
	return (struct jemalloc_arena *)hooks;
}

/*
 * jemalloc asks for more than it needs, and never gives the rest back: memory that a bounded
 * region would lose for any longer buffer. Refused, it asks again for what it needs.
 */
static void *take_extent(extent_hooks_t *hooks, void *address, size_t bytes, size_t alignment,
			 bool *zero, bool *commit, unsigned int index)
{
	struct jemalloc_arena *arena = of_hooks(hooks);
	void *extent;

	(void)index;
	if (address || bytes > arena->most)
		return NULL;
	extent = region_take(arena->region, bytes, alignment);
	if (!extent)
		return NULL;
	if (*zero)
		memset(extent, 0, bytes);
	*commit = true;
	return extent;
}

static bool give_extent(extent_hooks_t *hooks, void *extent, size_t bytes, bool committed,
			unsigned int index)
{
	(void)committed;
	(void)index;
	region_give(of_hooks(hooks)->region, extent, bytes);
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

static int control(const struct jemalloc_arena *arena, const char *what, void *value, size_t bytes)
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
static int create(struct jemalloc_arena *arena)
{
	size_t index_bytes = sizeof(arena->index);
	extent_hooks_t *hooks = &arena->hooks;
	ssize_t at_once = 0;
	int error;

	if (mallctl("arenas.create", &arena->index, &index_bytes, NULL, 0))
		return -ENOMEM;
	arena->created = true;
	error = control(arena, "extent_hooks", &hooks, sizeof(void *));
	if (!error)
		error = control(arena, "dirty_decay_ms", &at_once, sizeof(at_once));
	if (!error)
		error = control(arena, "muzzy_decay_ms", &at_once, sizeof(at_once));
	return error;
}

int jemalloc_arena_open(struct jemalloc_arena **result, struct region *region)
{
	struct jemalloc_arena *arena = calloc(1, sizeof(*arena));
	int error;

	if (!arena)
		return -ENOMEM;
	arena->hooks = region_hooks;
	arena->region = region;
	arena->padding = region->unit;
	error = create(arena);
	if (error) {
		jemalloc_arena_close(arena);
		return error;
	}
	*result = arena;
	return 0;
}

void jemalloc_arena_close(struct jemalloc_arena *arena)
{
	if (!arena)
		return;
	if (arena->created)
		control(arena, "destroy", NULL, 0);
	free(arena);
}

static int flags(const struct jemalloc_arena *arena, size_t alignment)
{
	return MALLOCX_ARENA(arena->index) | MALLOCX_TCACHE_NONE |
	       MALLOCX_LG_ALIGN(__builtin_ctzl(alignment));
}

size_t jemalloc_arena_size(const struct jemalloc_arena *arena, size_t bytes, size_t alignment)
{
	return nallocx(bytes, flags(arena, alignment));
}

void *jemalloc_arena_take(struct jemalloc_arena *arena, size_t size, size_t alignment)
{
	arena->most = size + arena->padding;
	if (arena->most < LEAST_GROWTH)
		arena->most = LEAST_GROWTH - 1;
	return mallocx(size, flags(arena, alignment));
}

void jemalloc_arena_give(void *buffer)
{
	dallocx(buffer, MALLOCX_TCACHE_NONE);
}
