/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>

#include "complain.h"
#include "memory.h"

void memory_end(void)
{
	complain_keep_back(false);
	complain("out of memory");
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
