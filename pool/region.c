/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "poison.h"
#include "region.h"

/*
 * The region opens with one page, so that it opens at nearly any memory-lock limit. A step is this
 * long at least if that much can be pinned, because many short ones take long.
 */
#define SHORT_STEP ((size_t)256 << 10)

static int add(struct region *region, size_t bytes)
{
	size_t before = region->memory.bytes;
	int error = pinned_grow(&region->memory, bytes);

	if (!error)
		runs_grow(&region->runs,
			  (uint32_t)((region->memory.bytes - before) / region->unit));
	return error;
}

int region_open(struct region *region, size_t bytes, size_t unit, enum madring_pin pin)
{
	int error;

	memset(region, 0, sizeof(*region));
	region->unit = unit;
	if (bytes / unit > RUNS_NONE / 2)
		return -EINVAL;
	error = pinned_reserve(&region->memory, bytes, pin);
	if (error)
		return error;
	error = runs_open(&region->runs, (uint32_t)(region->memory.reserved / unit));
	if (error)
		return error;
	poison(region->memory.base, region->memory.reserved);
	/* Reserved huge pages bring all the memory at once. Otherwise none is there yet. */
	runs_grow(&region->runs, (uint32_t)(region->memory.bytes / unit));
	return region->memory.bytes ? 0 : add(region, 1);
}

void region_close(struct region *region)
{
	runs_close(&region->runs);
	pinned_unmap(&region->memory);
}

/*
 * Doubles the memory, or adds SHORT_STEP if that is more, or as much less as can be pinned, but not
 * less than @least.
 */
static int grow(struct region *region, size_t least)
{
	size_t step = region->memory.bytes > SHORT_STEP ? region->memory.bytes : SHORT_STEP;

	if (least > region->memory.reserved - region->memory.bytes)
		return -ENOMEM;
	for (; step > least; step /= 2)
		if (!add(region, step))
			return 0;
	return add(region, least);
}

void *region_take(struct region *region, size_t bytes, size_t alignment)
{
	size_t tail = runs_free_at_end(&region->runs) * region->unit;
	uint32_t units = (uint32_t)(bytes / region->unit);
	uint64_t unit_alignment = alignment > region->unit ? alignment / region->unit : 1;
	uint64_t offset = (uintptr_t)region->memory.base / region->unit;
	size_t needed = bytes + (size_t)(unit_alignment - 1) * region->unit;
	uint32_t first;

	assert(bytes && bytes % region->unit == 0);
	if (bytes > region->memory.reserved)
		return NULL;
	first = runs_take(&region->runs, units, unit_alignment, offset);
	if (first == RUNS_NONE && needed > tail) {
		region->error = grow(region, needed - tail);
		if (region->error)
			return NULL;
		first = runs_take(&region->runs, units, unit_alignment, offset);
	}
	return first == RUNS_NONE ? NULL : region->memory.base + first * region->unit;
}

void region_give(struct region *region, void *memory, size_t bytes)
{
	size_t offset = pinned_offset(&region->memory, memory);

	assert(offset % region->unit == 0 && bytes % region->unit == 0);
	runs_give(&region->runs, (uint32_t)(offset / region->unit),
		  (uint32_t)(bytes / region->unit));
}
