/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes allocations of a program fail when it is preloaded: those of the program, or of libc,
 * json-c, libibumad or any other library that it uses.
 *
 *   FAIL_PROGRAM     the program's short name; other programs go unharmed
 *   FAIL_ALLOCATION  the number of the allocation that fails, from 1; without it none fails
 *   FAIL_ON          if it is set, all that follow fail, too
 *   FAIL_LIBRARY     a part of a path: only calls from such a library count, and can fail
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
static const char *count_file, *library;
static bool counting, goes_on;

static void __attribute__((constructor)) begin(void)
{
	const char *program = getenv("FAIL_PROGRAM"), *fail = getenv("FAIL_ALLOCATION");

	if (!program || strcmp(program, program_invocation_short_name) != 0)
		return;
	number = fail ? strtoul(fail, NULL, 10) : 0;
	count_file = getenv("FAIL_COUNT");
	library = getenv("FAIL_LIBRARY");
	goes_on = getenv("FAIL_ON");
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

/* Returns whether a call from @caller counts. */
static bool is_counted(void *caller)
{
	static __thread bool inside;
	bool found = true;
	Dl_info info;

	if (!counting || inside)
		return false;
	inside = true;
	if (library)
		found = dladdr(caller, &info) && strstr(info.dli_fname, library);
	inside = false;
	return found;
}

static bool fails_for(void *caller)
{
	unsigned long which;

	if (!is_counted(caller))
		return false;
	which = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	if (!number || which < number || (which > number && !goes_on))
		return false;
	errno = ENOMEM;
	return true;
}

#define fails() fails_for(__builtin_return_address(0))

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
	static void *function;

	if (bytes && items > (size_t)-1 / bytes) {
		errno = ENOMEM;
		return NULL;
	}
	if (fails())
		return NULL;
	return ((__typeof__(&realloc))behind(&function, "realloc"))(memory, items * bytes);
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
