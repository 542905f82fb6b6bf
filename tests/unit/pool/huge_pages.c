/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory in reserved huge pages comes back whatever the system's default size of huge pages is. The
 * kernel is a fake one that has pages of any size.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <sys/mman.h>

#include "pool/pinned.h"

#define SIZE_SHIFT 26 /* of the log2 of a page's size in the flags of mmap(2) */
#define SIZE_MASK  63
#define MIB	   ((size_t)1 << 20)
#define GIB	   ((size_t)1 << 30)

static size_t default_page; /* the fake kernel's */

static struct mapping {
	void *memory; /* NULL: none */
	size_t page, bytes;
} huge; /* the one that there is */

void *__real_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	unsigned int log = (unsigned int)flags >> SIZE_SHIFT & SIZE_MASK;

	if (!(flags & MAP_HUGETLB))
		return __real_mmap64(address, bytes, protection, flags, fd, offset);
	assert_null(huge.memory);
	huge.page = log ? (size_t)1 << log : default_page;
	huge.bytes = (bytes + huge.page - 1) / huge.page * huge.page;
	huge.memory = __real_mmap64(NULL, huge.bytes, protection,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(huge.memory, MAP_FAILED);
	return huge.memory;
}

/* Refuses to unmap a part of a huge page, as Linux does. */
int __real_munmap(void *memory, size_t bytes);
int __wrap_munmap(void *memory, size_t bytes);
int __wrap_munmap(void *memory, size_t bytes)
{
	if (memory != huge.memory)
		return __real_munmap(memory, bytes);
	if (bytes % huge.page) {
		errno = EINVAL;
		return -1;
	}
	assert_int_equal(bytes, huge.bytes);
	huge.memory = NULL;
	return __real_munmap(memory, bytes);
}

static void test_default_sizes(void **state)
{
	static const size_t pages[] = { MIB, 2 * MIB, 16 * MIB, 32 * MIB, 512 * MIB, GIB };
	struct pinned memory;

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		default_page = pages[i];
		assert_int_equal(pinned_map(&memory, 5 * MIB, MADRING_PIN_REQUIRED), 0);
		assert_non_null(huge.memory);
		assert_true(memory.bytes >= 5 * MIB);
		assert_int_equal(memory.huge_bytes, memory.bytes);
		/* The mapping takes no more memory than is counted. */
		assert_int_equal(memory.huge_bytes, huge.bytes);
		pinned_unmap(&memory);
		assert_null(huge.memory);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_default_sizes),
};

TEST_MAIN(tests, NULL, NULL)
