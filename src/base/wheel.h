/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hierarchical timing wheel over numbered entries. It has 11 levels of 64 buckets, and so
 * reaches any 64-bit tick. The buckets are lists through an array of links. Setting an entry,
 * removing it and finding the next event take O(1).
 *
 * An entry's level is that of the highest bit in which its tick differs from the wheel's. So the
 * buckets of a level are always in order, and the lowest occupied level holds the next event. The
 * wheel skips empty stretches of any length at once.
 */
#ifndef MADRING_BASE_WHEEL_H
#define MADRING_BASE_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

#define WHEEL_NONE   UINT32_MAX
#define WHEEL_NEVER  UINT64_MAX
#define WHEEL_BITS   6
#define WHEEL_WIDTH  (1u << WHEEL_BITS)
#define WHEEL_LEVELS 11u

struct wheel_link {
	uint32_t next;
	uint32_t prev; /* an entry, or a bucket (see wheel.c); WHEEL_NONE: not in the wheel */
	uint64_t tick;
};

_Static_assert(sizeof(struct wheel_link) == 16, "four links in a cache line");
_Static_assert(WHEEL_BITS *WHEEL_LEVELS >= 64, "the wheel reaches any tick");

struct wheel {
	uint64_t now; /* entries up to this tick were popped, or are in the last bucket */
	uint64_t occupied[WHEEL_LEVELS];
	uint32_t head[WHEEL_LEVELS * WHEEL_WIDTH + 1]; /* the last bucket: entries that are due */
	struct wheel_link *link;
};

/* Opens a wheel for entries 0 to @entries - 1. Returns 0 or -ENOMEM. */
int wheel_open(struct wheel *wheel, uint32_t entries, uint64_t now);
void wheel_close(struct wheel *wheel);

static inline bool wheel_holds(const struct wheel *wheel, uint32_t entry)
{
	return wheel->link[entry].prev != WHEEL_NONE;
}

/* Returns the tick that @entry is set for. The wheel must hold the entry. */
static inline uint64_t wheel_tick(const struct wheel *wheel, uint32_t entry)
{
	return wheel->link[entry].tick;
}

/* Prefetches what the functions below will touch of @entry. */
static inline void wheel_prefetch(const struct wheel *wheel, uint32_t entry)
{
	__builtin_prefetch(&wheel->link[entry], 1);
}

/*
 * Sets an entry that the wheel does not hold. If @tick is past, the entry is due at the next
 * tick.
 */
void wheel_set(struct wheel *wheel, uint32_t entry, uint64_t tick);
/* Removes an entry that the wheel holds. */
void wheel_remove(struct wheel *wheel, uint32_t entry);

/*
 * Advances towards @now and takes out the next entry that is due by then. Returns WHEEL_NONE if
 * there is none; the wheel then stands at @now. Entries may be set between the calls.
 */
uint32_t wheel_pop(struct wheel *wheel, uint64_t now);

/* Returns a tick before which no entry is due, or WHEEL_NEVER if the wheel is empty. */
uint64_t wheel_next(const struct wheel *wheel);

#endif
