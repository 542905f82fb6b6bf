/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening a pool when its first, second, third... allocation fails: an error, and no leak. */
#include "cmocka_all.h"

#include <errno.h>
#include <jemalloc/jemalloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pool/pinned.h"
#include "pool/pool.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static unsigned int fail_at; /* the how many-th call from now; 0: none */
static bool failed;
static bool failed_huge; /* what may fail without an error */
static int mlock_errno;
static bool populates = true; /* whether the kernel knows MADV_POPULATE_WRITE */
static long mapped, allocated, arenas;

static bool fails(void)
{
	if (!fail_at || --fail_at)
		return false;
	failed = true;
	return true;
}

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes)
{
	if (fails())
		return NULL;
	allocated++;
	return __real_malloc(bytes);
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
	if (fails())
		return NULL;
	allocated++;
	return __real_calloc(count, bytes);
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
	if (memory)
		allocated--;
	__real_free(memory);
}

void *__real_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *memory = MAP_FAILED;

	/* A call with MAP_FIXED gives memory back within a mapping. */
	if (flags & MAP_FIXED)
		return __real_mmap64(address, bytes, protection, flags, fd, offset);
	if (!fails())
		memory = __real_mmap64(address, bytes, protection, flags, fd, offset);
	else if (flags & MAP_HUGETLB)
		failed_huge = true;
	if (memory != MAP_FAILED)
		mapped += (long)bytes;
	return memory;
}

int __real_munmap(void *memory, size_t bytes);
int __wrap_munmap(void *memory, size_t bytes);
int __wrap_munmap(void *memory, size_t bytes)
{
	mapped -= (long)bytes;
	return __real_munmap(memory, bytes);
}

int __real_mprotect(void *memory, size_t bytes, int protection);
int __wrap_mprotect(void *memory, size_t bytes, int protection);
int __wrap_mprotect(void *memory, size_t bytes, int protection)
{
	return fails() ? -1 : __real_mprotect(memory, bytes, protection);
}

int __wrap_mlock2(const void *memory, size_t bytes, unsigned int flags);
int __wrap_mlock2(const void *memory, size_t bytes, unsigned int flags)
{
	if (fails()) {
		errno = EAGAIN;
		return -1;
	}
	errno = mlock_errno;
	return mlock_errno ? -1 : 0;
}

int __real_madvise(void *memory, size_t bytes, int advice);
int __wrap_madvise(void *memory, size_t bytes, int advice);
int __wrap_madvise(void *memory, size_t bytes, int advice)
{
	/* Huge pages are a wish. */
	if (advice != MADV_POPULATE_WRITE)
		return __real_madvise(memory, bytes, advice);
	if (fails()) {
		errno = ENOMEM;
		return -1;
	}
	if (!populates) {
		errno = EINVAL;
		return -1;
	}
	return __real_madvise(memory, bytes, advice);
}

int __real_mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);
int __wrap_mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes);
int __wrap_mallctl(const char *name, void *old, size_t *old_bytes, void *new, size_t new_bytes)
{
	/* Where jemalloc does not know these two, it is not used. */
	if (strcmp(name, "version") != 0 && strcmp(name, "arenas.page") != 0 && fails())
		return EAGAIN;
	if (!strcmp(name, "arenas.create"))
		arenas++;
	if (strstr(name, ".destroy"))
		arenas--;
	return __real_mallctl(name, old, old_bytes, new, new_bytes);
}

static const struct pool_config config = {
	.plain = 10000,
	.large = 10,
	.message_bytes = 4 << 20,
};

static void check_no_leak(void)
{
	assert_int_equal(allocated, 0);
	assert_int_equal(mapped, 0);
	assert_int_equal(arenas, 0);
}

/* Fails every allocation in turn; returns how many there are. */
static unsigned int fail_each(const struct pool_config *chosen)
{
	struct pool *pool;
	unsigned int call;
	int error;

	for (call = 1;; call++) {
		fail_at = call;
		failed = failed_huge = false;
		error = pool_open(&pool, chosen);
		fail_at = 0;
		if (!error)
			pool_close(pool);
		check_no_leak();
		if (!failed)
			break;
		assert_int_equal(error, failed_huge ? 0 : -ENOMEM);
	}
	assert_int_equal(error, 0);
	return call - 1;
}

static void test_pinned(void **state)
{
	mlock_errno = 0;
	/*
	 * The pool makes one call, each slab 3, the arena 12, and there are more where huge pages
	 * are tried.
	 */
	assert_true(fail_each(&config) >= 19);
}

static void test_best_effort(void **state)
{
	struct pool_config best_effort = config;

	best_effort.pin = MADRING_PIN_BEST_EFFORT;
	mlock_errno = ENOMEM;
	assert_true(fail_each(&best_effort) >= 19);
}

/* Counts the pages of the region that are in memory. */
static size_t count_resident(void *memory, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), count = 0;
	unsigned char resident[64];

	assert_true(bytes <= sizeof(resident) * page);
	assert_int_equal(mincore(memory, bytes, resident), 0);
	for (size_t i = 0; i < bytes / page; i++)
		count += resident[i] & 1;
	return count;
}

/* Linux before 5.14 brings pages in only when they are touched. */
static void test_best_effort_of_older_kernels(void **state)
{
	const size_t bytes = (size_t)64 * (size_t)sysconf(_SC_PAGESIZE);
	struct pool_config best_effort = config;
	struct pinned memory;

	best_effort.pin = MADRING_PIN_BEST_EFFORT;
	mlock_errno = ENOMEM;
	populates = false;
	assert_true(fail_each(&best_effort) >= 19);
	assert_int_equal(pinned_map(&memory, bytes, MADRING_PIN_BEST_EFFORT), 0);
	assert_int_equal(memory.bytes, bytes);
	assert_int_equal(memory.locked_bytes, 0);
	assert_int_equal(count_resident(memory.base, bytes), 64);
	pinned_unmap(&memory);
	populates = true;
	check_no_leak();
}

static void test_limit(void **state)
{
	struct pool_config small = { .plain = 100 };
	struct pool *pool;

	mlock_errno = EPERM;
	assert_int_equal(pool_open(&pool, &small), -ENOBUFS);
	check_no_leak();
	mlock_errno = ENOMEM;
	assert_int_equal(pool_open(&pool, &small), -ENOBUFS);
	check_no_leak();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_pinned),
	cmocka_unit_test(test_best_effort),
	cmocka_unit_test(test_best_effort_of_older_kernels),
	cmocka_unit_test(test_limit),
};

TEST_MAIN(tests, NULL, NULL)
