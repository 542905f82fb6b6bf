/* SPDX-License-Identifier: BSD-2-Clause */
/* The time that passes, from any moment on. */
#ifndef VM_CLOCK_H
#define VM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_us(void)
{
	return clock_ns() / 1000;
}

static inline double clock_s(void)
{
	return (double)clock_ns() * 1e-9;
}

#endif
