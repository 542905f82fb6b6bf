/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The schedule of requests, by a rate that nothing slows down. The time of each is computed from
 * the start, so that no error adds up.
 */
#ifndef PING_SCHEDULE_H
#define PING_SCHEDULE_H

#include <stdint.h>

struct schedule {
	uint64_t start_ns;
	uint64_t count, span_ns; /* so many requests in such a time; neither is 0 */
};

/* Returns when request @number is due; the first is number 0. */
static inline uint64_t schedule_due(const struct schedule *schedule, uint64_t number)
{
	return schedule->start_ns +
	       (uint64_t)((unsigned __int128)number * schedule->span_ns / schedule->count);
}

/* Returns how many requests are due at @now_ns. */
static inline uint64_t schedule_count(const struct schedule *schedule, uint64_t now_ns)
{
	unsigned __int128 passed = now_ns - schedule->start_ns;
	uint64_t count;

	if (now_ns < schedule->start_ns)
		return 0;
	/* schedule_due() rounds down, so that one more can be due than this division says. */
	count = (uint64_t)(passed * schedule->count / schedule->span_ns) + 1;
	return schedule_due(schedule, count) <= now_ns ? count + 1 : count;
}

#endif
