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
 * json-c 0.16 uses the result of strdup() unchecked, and crashes when it is NULL; no return value
 * of its tokener tells of that before. So this strdup(), which ends the program instead, takes the
 * place of libc's, also for json-c.
 */
__attribute__((visibility("default"))) char *strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;

	return memcpy(check_memory(malloc(bytes)), text, bytes);
}
