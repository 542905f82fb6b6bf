/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stddef.h>

#include "failing.h"

unsigned int fail_at;

static bool fails(void)
{
	return fail_at && !--fail_at;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
	return fails() ? NULL : __real_malloc(bytes);
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : __real_calloc(count, bytes);
}

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes)
{
	return fails() ? NULL : __real_realloc(memory, bytes);
}

void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, bytes);
}

void *__real_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes);
void *__wrap_reallocarray(void *memory, size_t count, size_t bytes)
{
	return fails() ? NULL : __real_reallocarray(memory, count, bytes);
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
	return fails() ? NULL : __real_strdup(text);
}

char *__real_strndup(const char *text, size_t length);
char *__wrap_strndup(const char *text, size_t length);
char *__wrap_strndup(const char *text, size_t length)
{
	return fails() ? NULL : __real_strndup(text, length);
}
