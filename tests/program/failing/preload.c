/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes one allocation of a program fail when it is preloaded: an allocation of the program, or of
 * libc, json-c, libibumad or any other library that it uses.
 *
 *   FAIL_PROGRAM     the program's short name; other programs go unharmed
 *   FAIL_ALLOCATION  the number of the allocation that fails, from 1; without it none fails
 *   FAIL_COUNT       a file that gets the number of allocations when the program exits
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long number, count;
static const char *count_file;
static bool counting;

static void __attribute__((constructor)) begin(void)
{
	const char *program = getenv("FAIL_PROGRAM"), *fail = getenv("FAIL_ALLOCATION");

	if (!program || strcmp(program, program_invocation_short_name) != 0)
		return;
	number = fail ? strtoul(fail, NULL, 10) : 0;
	count_file = getenv("FAIL_COUNT");
	counting = true;
}

static void __attribute__((destructor)) end(void)
{
	char text[32];
	int fd, length;

	if (!counting || !count_file)
		return;
	counting = false;
	length = snprintf(text, sizeof(text), "%lu\n", count);
	fd = open(count_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, (size_t)length) != length)
		abort();
	close(fd);
}

static bool fails(void)
{
	if (!counting || __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != number)
		return false;
	errno = ENOMEM;
	return true;
}

/* Returns the function of this name in the libraries behind this one, in libc or jemalloc. */
static void *behind(void **function, const char *name)
{
	if (!*function)
		*function = dlsym(RTLD_NEXT, name);
	return *function;
}

#define PASS_ON(name, ...)                                                                         \
	static void *function;                                                                     \
	if (fails())                                                                               \
		return NULL;                                                                       \
	return ((__typeof__(&(name)))behind(&function, #name))(__VA_ARGS__)

void *malloc(size_t bytes)
{
	PASS_ON(malloc, bytes);
}

void *calloc(size_t items, size_t bytes)
{
	PASS_ON(calloc, items, bytes);
}

void *realloc(void *memory, size_t bytes)
{
	PASS_ON(realloc, memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	PASS_ON(aligned_alloc, alignment, bytes);
}

void *reallocarray(void *memory, size_t items, size_t bytes)
{
	if (bytes && items > (size_t)-1 / bytes) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(memory, items * bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
	static void *function;

	if (fails())
		return ENOMEM;
	return ((__typeof__(&posix_memalign))behind(&function, "posix_memalign"))(memory, alignment,
										  bytes);
}

/* Declares mallocx(), a function of jemalloc's own that no header of this program has. */
void *mallocx(size_t bytes, int flags);
void *mallocx(size_t bytes, int flags)
{
	PASS_ON(mallocx, bytes, flags);
}
