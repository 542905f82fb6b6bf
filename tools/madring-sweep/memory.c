/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

void memory_end(void)
{
	fputs("madring-sweep: out of memory\n", stderr);
	exit(2);
}

static void *must(void *memory)
{
	if (!memory)
		memory_end();
	return memory;
}

void *memory_get(size_t count, size_t size)
{
	return must(calloc(count, size));
}

void *memory_grow(void *memory, size_t count, size_t size)
{
	return must(reallocarray(memory, count, size));
}
