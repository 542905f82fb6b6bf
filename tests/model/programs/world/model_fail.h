/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends a seed whose checks fail, and traces one that is played. */
#ifndef MODEL_FAIL_H
#define MODEL_FAIL_H

#include <stdbool.h>

#include "model/common/seeds.h"
#include "virtual_clock.h"

/* Ends the seed, which does not hold, with a message that names the virtual time. */
#define world_fail(...) seeds_fail(virtual_now() - VIRTUAL_START, __VA_ARGS__)

/* The events of a seed are written to standard output. */
extern bool trace_is_on;
void trace_write(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define trace(...)                                                                                 \
	do {                                                                                       \
		if (__builtin_expect(trace_is_on, 0))                                              \
			trace_write(__VA_ARGS__);                                                  \
	} while (0)

/* Fails the seed unless @condition holds. */
#define expect(condition, ...)                                                                     \
	do {                                                                                       \
		if (__builtin_expect(!(condition), 0))                                             \
			world_fail(__VA_ARGS__);                                                   \
	} while (0)

#endif
