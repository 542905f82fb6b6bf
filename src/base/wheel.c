/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/wheel.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/table.h"

/* Set in a link's .prev if that is a bucket, because the entry is the first one in it. */
#define BUCKET	   0x80000000u
#define DUE_BUCKET (WHEEL_LEVELS * WHEEL_WIDTH)

int wheel_open(struct wheel *wheel, uint32_t entries, uint64_t now)
{
	wheel->link = table_alloc(entries, sizeof(*wheel->link));
	if (!wheel->link)
		return -ENOMEM;
	for (uint32_t i = 0; i < entries; i++)
		wheel->link[i] = (struct wheel_link){ .next = WHEEL_NONE, .prev = WHEEL_NONE };
	for (uint32_t i = 0; i <= DUE_BUCKET; i++)
		wheel->head[i] = WHEEL_NONE;
	for (uint32_t i = 0; i < WHEEL_LEVELS; i++)
		wheel->occupied[i] = 0;
	wheel->now = now;
	return 0;
}

void wheel_close(struct wheel *wheel)
{
	free(wheel->link);
	wheel->link = NULL;
}

static void link_into_bucket(struct wheel *wheel, uint32_t bucket, uint32_t entry)
{
	struct wheel_link *link = &wheel->link[entry];

	link->next = wheel->head[bucket];
	link->prev = bucket | BUCKET;
	if (link->next != WHEEL_NONE)
		wheel->link[link->next].prev = entry;
	wheel->head[bucket] = entry;
	if (bucket != DUE_BUCKET)
		wheel->occupied[bucket / WHEEL_WIDTH] |= UINT64_C(1) << (bucket % WHEEL_WIDTH);
}

/* Returns the bucket of a tick that is later than the wheel's. */
static uint32_t bucket_of(const struct wheel *wheel, uint64_t tick)
{
	uint32_t level = (63u - (uint32_t)__builtin_clzll(tick ^ wheel->now)) / WHEEL_BITS;

	return level * WHEEL_WIDTH + ((tick >> (level * WHEEL_BITS)) & (WHEEL_WIDTH - 1));
}

static void place_entry(struct wheel *wheel, uint32_t entry)
{
	uint64_t tick = wheel->link[entry].tick;

	link_into_bucket(wheel, tick <= wheel->now ? DUE_BUCKET : bucket_of(wheel, tick), entry);
}

void wheel_set(struct wheel *wheel, uint32_t entry, uint64_t tick)
{
	assert(!wheel_holds(wheel, entry));
	if (tick <= wheel->now)
		tick = wheel->now + 1;
	wheel->link[entry].tick = tick;
	place_entry(wheel, entry);
}

void wheel_remove(struct wheel *wheel, uint32_t entry)
{
	struct wheel_link *link = &wheel->link[entry];

	assert(wheel_holds(wheel, entry));
	if (link->next != WHEEL_NONE)
		wheel->link[link->next].prev = link->prev;
	if (link->prev & BUCKET) {
		uint32_t bucket = link->prev & ~BUCKET;

		wheel->head[bucket] = link->next;
		if (link->next == WHEEL_NONE && bucket != DUE_BUCKET)
			wheel->occupied[bucket / WHEEL_WIDTH] &=
				~(UINT64_C(1) << (bucket % WHEEL_WIDTH));
	} else {
		wheel->link[link->prev].next = link->next;
	}
	link->prev = WHEEL_NONE;
}

/* Returns the first occupied bucket of the lowest level that has one, or WHEEL_NONE. */
static uint32_t next_bucket(const struct wheel *wheel)
{
	for (uint32_t level = 0; level < WHEEL_LEVELS; level++)
		if (wheel->occupied[level])
			return level * WHEEL_WIDTH +
			       (uint32_t)__builtin_ctzll(wheel->occupied[level]);
	return WHEEL_NONE;
}

/* Returns the tick at which a bucket begins. Its entries share the wheel's bits above its level. */
static uint64_t bucket_tick(const struct wheel *wheel, uint32_t bucket)
{
	uint32_t shift = bucket / WHEEL_WIDTH * WHEEL_BITS;
	uint64_t tick = (uint64_t)(bucket % WHEEL_WIDTH) << shift;

	if (shift + WHEEL_BITS >= 64)
		return tick;
	return tick | (wheel->now >> (shift + WHEEL_BITS) << (shift + WHEEL_BITS));
}

/*
 * Moves the entries of a bucket that begins now to lower levels; those that are due, to
 * DUE_BUCKET.
 */
static void cascade_bucket(struct wheel *wheel, uint32_t bucket)
{
	uint32_t entry = wheel->head[bucket];

	wheel->head[bucket] = WHEEL_NONE;
	wheel->occupied[bucket / WHEEL_WIDTH] &= ~(UINT64_C(1) << (bucket % WHEEL_WIDTH));
	while (entry != WHEEL_NONE) {
		uint32_t next = wheel->link[entry].next;

		place_entry(wheel, entry);
		entry = next;
	}
}

uint32_t wheel_pop(struct wheel *wheel, uint64_t now)
{
	uint32_t due;

	while ((due = wheel->head[DUE_BUCKET]) == WHEEL_NONE) {
		uint32_t bucket = next_bucket(wheel);

		if (bucket == WHEEL_NONE || bucket_tick(wheel, bucket) > now) {
			if (now > wheel->now)
				wheel->now = now;
			return WHEEL_NONE;
		}
		wheel->now = bucket_tick(wheel, bucket);
		cascade_bucket(wheel, bucket);
	}
	wheel_remove(wheel, due);
	return due;
}

uint64_t wheel_next(const struct wheel *wheel)
{
	uint32_t bucket = next_bucket(wheel);

	if (wheel->head[DUE_BUCKET] != WHEEL_NONE)
		return wheel->now;
	return bucket == WHEEL_NONE ? WHEEL_NEVER : bucket_tick(wheel, bucket);
}
