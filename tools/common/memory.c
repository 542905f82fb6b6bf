/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "memory.h"

void memory_end(void)
{
	complain_keep_back(false);
	complain("out of memory");
	exit(2);
}

static void *check_memory(void *memory)
{
	if (!memory)
		memory_end();
	return memory;
}

void *memory_get(size_t count, size_t size)
{
	return check_memory(calloc(count, size));
}

void *memory_grow(void *memory, size_t count, size_t size)
{
	return check_memory(reallocarray(memory, count, size));
}

/*
 * Takes the place of libc's strdup(), also for json-c, and ends the program when memory is
 * exhausted. json-c 0.16 uses the result unchecked and crashes when it is NULL.
 */
__attribute__((visibility("default"))) char *strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(check_memory(malloc(bytes)), text, bytes);
}
