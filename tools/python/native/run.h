/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a ring until something is ready for Python, or for some time. */
#ifndef MADRING_PYTHON_RUN_H
#define MADRING_PYTHON_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <madring.h>

/* Returns the monotonic time in ms. */
static inline int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * Runs the ring until @is_ready returns true for @state, or @timeout_ms have passed. Returns 0, or
 * an error of madring_run().
 */
static inline int run_until(struct madring *ring, bool (*is_ready)(const void *state),
			    const void *state, int timeout_ms)
{
	int64_t end = now_ms() + timeout_ms;

	while (!is_ready(state)) {
		int64_t left = end - now_ms();
		int called;

		if (left <= 0)
			return 0;
		called = madring_run(ring, (int)left);
		if (called < 0)
			return called;
	}
	return 0;
}

#endif
