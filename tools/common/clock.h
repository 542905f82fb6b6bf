/* SPDX-License-Identifier: BSD-2-Clause */
/* The monotonic clock. Its times are in ns. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <limits.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
}

/* Returns how many milliseconds to wait until @time_ns, rounded up, as poll(2) takes them. */
static inline int clock_ms_until(uint64_t time_ns)
{
	uint64_t now = clock_ns();
	uint64_t ms = time_ns > now ? (time_ns - now - 1) / 1000000u + 1 : 0;

	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* Returns .deadline_ms of a batch that ends at @time_ns; 0: it has no deadline. */
static inline int clock_deadline_ms(uint64_t time_ns)
{
	int ms = time_ns ? clock_ms_until(time_ns) : 0;

	return time_ns && !ms ? 1 : ms;
}

#endif
