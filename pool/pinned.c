/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pinned.h"
#include "poison.h"

/* C libraries from before Linux 5.14 do not name it, nor does musl. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define HUGE_PAGE_BITS 21
#define HUGE_PAGE      ((size_t)1 << HUGE_PAGE_BITS)

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/*
 * Pages of hugetlbfs are never swapped and take nothing of the memory-lock limit. The flags name
 * their size, because the system's default may be another, such as 1 GiB, of which a mapping would
 * take whole pages, and munmap(2) would free them only by whole pages.
 */
static bool map_huge(struct pinned *memory, size_t bytes)
{
	void *mapping;

	bytes = round_up(bytes, HUGE_PAGE);
	mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE | MAP_HUGETLB |
			       (HUGE_PAGE_BITS << MAP_HUGE_SHIFT),
		       -1, 0);
	if (mapping == MAP_FAILED)
		return false;
	*memory = (struct pinned){
		.base = mapping,
		.bytes = bytes,
		.locked_bytes = bytes,
		.huge_bytes = bytes,
		.reserved = bytes,
		.mapping = mapping,
		.mapping_bytes = bytes,
	};
	return true;
}

/* Inaccessible memory on both sides stops a run over the end. */
static int map_guarded(struct pinned *memory, size_t bytes, size_t page)
{
	size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : page;
	size_t mapping_bytes;
	unsigned char *base;
	void *mapping;

	bytes = round_up(bytes, page);
	mapping_bytes = bytes + alignment + page;
	mapping = mmap(NULL, mapping_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		       -1, 0);
	if (mapping == MAP_FAILED)
		return -ENOMEM;
	base = mapping;
	base += round_up((uintptr_t)mapping + page, alignment) - (uintptr_t)mapping;
	*memory = (struct pinned){
		.base = base,
		.reserved = bytes,
		.mapping = mapping,
		.mapping_bytes = mapping_bytes,
	};
	return 0;
}

/* Writes to each page of new memory. The address sanitizer may have the memory poisoned. */
__attribute__((no_sanitize("address"))) static void touch(volatile unsigned char *first,
							  size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t offset = 0; offset < bytes; offset += page)
		first[offset] = 0;
}

/* Brings pages in that are not locked. Linux before 5.14 does not know this advice. */
static int populate(unsigned char *first, size_t bytes)
{
	if (!madvise(first, bytes, MADV_POPULATE_WRITE))
		return 0;
	if (errno != EINVAL)
		return -ENOMEM;
	touch(first, bytes);
	return 0;
}

/*
 * ENOMEM and EPERM are the limit, EAGAIN is memory that could not be had. Not mlock(), which
 * the address sanitizer turns into nothing.
 */
static int lock(struct pinned *memory, unsigned char *first, size_t bytes)
{
	if (!mlock2(first, bytes, 0)) {
		memory->locked_bytes += bytes;
		return 0;
	}
	if (errno == EAGAIN)
		return -ENOMEM;
	if (memory->pin == MADRING_PIN_REQUIRED)
		return -ENOBUFS;
	return populate(first, bytes);
}

int pinned_grow(struct pinned *memory, size_t bytes)
{
	size_t left = memory->reserved - memory->bytes;
	unsigned char *first = memory->base + memory->bytes;
	int error;

	assert(memory->bytes <= memory->reserved);
	bytes = bytes < left ? round_up(bytes, (size_t)sysconf(_SC_PAGESIZE)) : left;
	if (!bytes)
		return 0;
	if (mprotect(first, bytes, PROT_READ | PROT_WRITE))
		return -ENOMEM;
	error = lock(memory, first, bytes);
	if (error) {
		/* Some of it may be locked already. */
		(void)mmap(first, bytes, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		return error;
	}
	memory->bytes += bytes;
	return 0;
}

int pinned_reserve(struct pinned *memory, size_t bytes, enum madring_pin pin)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int error;

	memset(memory, 0, sizeof(*memory));
	if (!bytes)
		return 0;
	if (bytes > SIZE_MAX / 4)
		return -EINVAL;
	if (bytes >= HUGE_PAGE && map_huge(memory, bytes))
		return 0;
	error = map_guarded(memory, bytes, page);
	if (error)
		return error;
	memory->pin = pin;
	if (bytes >= HUGE_PAGE)
		madvise(memory->base, memory->reserved, MADV_HUGEPAGE);
	return 0;
}

int pinned_map(struct pinned *memory, size_t bytes, enum madring_pin pin)
{
	int error = pinned_reserve(memory, bytes, pin);

	if (error)
		return error;
	error = pinned_grow(memory, bytes);
	if (error)
		pinned_unmap(memory);
	return error;
}

void pinned_unmap(struct pinned *memory)
{
	int error;

	unpoison(memory->base, memory->reserved);
	if (memory->mapping) {
		error = munmap(memory->mapping, memory->mapping_bytes);
		assert(!error);
		(void)error;
	}
	memset(memory, 0, sizeof(*memory));
}
