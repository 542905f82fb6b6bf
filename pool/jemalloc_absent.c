/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The place of jemalloc.c in a library that is built without jemalloc's header: no process has it.
 */
#include <errno.h>
#include <stdlib.h>

#include "jemalloc.h"

bool jemalloc_is_here(void)
{
	return false;
}

int jemalloc_arena_open(struct jemalloc_arena **arena, struct region *region)
{
	(void)arena;
	(void)region;
	return -ENOSYS;
}

void jemalloc_arena_close(struct jemalloc_arena *arena)
{
	(void)arena;
}

size_t jemalloc_arena_size(const struct jemalloc_arena *arena, size_t bytes, size_t alignment)
{
	(void)arena;
	(void)bytes;
	(void)alignment;
	abort();
}

void *jemalloc_arena_take(struct jemalloc_arena *arena, size_t size, size_t alignment)
{
	(void)arena;
	(void)size;
	(void)alignment;
	abort();
}

void jemalloc_arena_give(void *buffer)
{
	(void)buffer;
	abort();
}
