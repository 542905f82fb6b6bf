/* SPDX-License-Identifier: BSD-2-Clause */
/* Deadlines are times of the monotonic clock, in ns, at which work ends. 0 is no deadline. */
#ifndef COMMON_DEADLINE_H
#define COMMON_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

static inline bool deadline_reached(uint64_t deadline_ns)
{
	return deadline_ns && clock_ns() >= deadline_ns;
}

/* Returns how many milliseconds to wait, rounded up: @most_ms, or fewer when the deadline is
   nearer. */
static inline int deadline_wait_ms(uint64_t deadline_ns, int most_ms)
{
	uint64_t now = clock_ns();

	if (!deadline_ns)
		return most_ms;
	if (deadline_ns <= now)
		return 0;
	if (deadline_ns - now >= (uint64_t)most_ms * 1000000u)
		return most_ms;
	return (int)((deadline_ns - now + 999999u) / 1000000u);
}

#endif
