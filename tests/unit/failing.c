/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include "unit/failing.h"

/* The linker refuses a hidden wrapper of a function that a shared library needs. */
#pragma GCC visibility push(default)

unsigned int fail_at;
long living_allocations;
unsigned long heap_calls;

static bool fails(void)
{
	heap_calls++;
	if (!fail_at || --fail_at)
		return false;
	errno = ENOMEM;
	return true;
}

/* `count_allocation` counts @memory, unless it is NULL, and returns it. */
static void *count_allocation(void *memory)
{
	living_allocations += !!memory;
	return memory;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : count_allocation(__real_malloc(bytes));
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : count_allocation(__real_calloc(count, bytes));
}

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes)
{
	void *grown = fails() ? NULL : __real_realloc(memory, bytes);

	return memory ? grown : count_allocation(grown);
}

void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return fails() ? NULL : count_allocation(__real_aligned_alloc(alignment, bytes));
}

void *__real_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
	void *grown = fails() ? NULL : __real_reallocarray(memory, count, bytes);

	return memory ? grown : count_allocation(grown);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : count_allocation(__real_strdup(text));
}

char *__real_strndup(const char *text, size_t length);
char *__wrap_strndup(const char *text, size_t length);
char *__wrap_strndup(const char *text, size_t length)
{
	return fails() ? NULL : count_allocation(__real_strndup(text, length));
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
	living_allocations -= !!memory;
	heap_calls += !!memory;
	__real_free(memory);
}
