/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pinned.h"
#include "poison.h"

#define HUGE_PAGE ((size_t)2 << 20)

static size_t round_up(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

/* Pages of hugetlbfs are never swapped and take nothing of the memory-lock limit. */
static bool map_huge(struct pinned *memory, size_t bytes)
{
	void *mapping;

	bytes = round_up(bytes, HUGE_PAGE);
	mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_POPULATE, -1, 0);
	if (mapping == MAP_FAILED)
		return false;
	*memory = (struct pinned){
		.base = mapping,
		.bytes = bytes,
		.huge_bytes = bytes,
		.locked = true,
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
	if (mprotect(base, bytes, PROT_READ | PROT_WRITE)) {
		munmap(mapping, mapping_bytes);
		return -ENOMEM;
	}
	*memory = (struct pinned){
		.base = base,
		.bytes = bytes,
		.mapping = mapping,
		.mapping_bytes = mapping_bytes,
	};
	return 0;
}

/*
 * ENOMEM and EPERM are the limit, EAGAIN is memory that could not be had. Not mlock(), which
 * the address sanitizer turns into nothing.
 */
static int lock(struct pinned *memory, enum madring_pin pin)
{
	if (!mlock2(memory->base, memory->bytes, 0)) {
		memory->locked = true;
		return 0;
	}
	if (errno == EAGAIN)
		return -ENOMEM;
	if (pin == MADRING_PIN_REQUIRED)
		return -ENOBUFS;
	return madvise(memory->base, memory->bytes, MADV_POPULATE_WRITE) ? -ENOMEM : 0;
}

int pinned_map(struct pinned *memory, size_t bytes, enum madring_pin pin)
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
	if (bytes >= HUGE_PAGE)
		madvise(memory->base, memory->bytes, MADV_HUGEPAGE);
	error = lock(memory, pin);
	if (error) {
		pinned_unmap(memory);
		return error;
	}
	return 0;
}

void pinned_unmap(struct pinned *memory)
{
	unpoison(memory->base, memory->bytes);
	if (memory->mapping)
		munmap(memory->mapping, memory->mapping_bytes);
	memset(memory, 0, sizeof(*memory));
}
