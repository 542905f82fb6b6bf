/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hierarchical timing wheel over numbered entries: 11 levels of 64 buckets, so that it
 * reaches any 64-bit tick; lists through an array of links. Setting, removing and finding the next
 * event are O(1).
 *
 * An entry's level is that of the highest bit in which its tick differs from the wheel's,
 * so the buckets of a level are always in order, and the lowest level that is not empty
 * holds the next event: empty stretches of any length are stepped over at once.
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
	uint32_t prev; /* an entry; or a bucket, see wheel.c; WHEEL_NONE: not in the wheel */
	uint64_t tick;
};

_Static_assert(sizeof(struct wheel_link) == 16, "four links in a cache line");
_Static_assert(WHEEL_BITS *WHEEL_LEVELS >= 64, "the wheel reaches any tick");

struct wheel {
	uint64_t now; /* every entry up to this tick has been handed out or is in `due` */
	uint64_t occupied[WHEEL_LEVELS];
	uint32_t head[WHEEL_LEVELS * WHEEL_WIDTH + 1]; /* the last one: what is due */
	struct wheel_link *link;
};

/* Room for entries 0 to @entries - 1. 0 or -ENOMEM. */
int wheel_open(struct wheel *wheel, uint32_t entries, uint64_t now);
void wheel_close(struct wheel *wheel);

static inline bool wheel_holds(const struct wheel *wheel, uint32_t entry)
{
	return wheel->link[entry].prev != WHEEL_NONE;
}

/* The tick that @entry is set for; only when the wheel holds it. */
static inline uint64_t wheel_tick(const struct wheel *wheel, uint32_t entry)
{
	return wheel->link[entry].tick;
}

/* Sets an entry that the wheel does not hold. A tick that is past comes up at the next one. */
void wheel_set(struct wheel *wheel, uint32_t entry, uint64_t tick);
void wheel_remove(struct wheel *wheel, uint32_t entry);

/*
 * Moves on towards @now, and takes out the next entry that is due by then. WHEEL_NONE: no
 * more; the wheel stands at @now. Entries may be set in between.
 */
uint32_t wheel_pop(struct wheel *wheel, uint64_t now);

/* No entry is due before this tick; WHEEL_NEVER when it is empty. */
uint64_t wheel_next(const struct wheel *wheel);

#endif
