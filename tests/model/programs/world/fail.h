/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends a seed whose checks fail, and traces one that is played. */
#ifndef MODEL_FAIL_H
#define MODEL_FAIL_H

#include <stdbool.h>
#include <stdint.h>

/* Begins a seed. With @trace, what happens is written to standard output. */
void fail_begin(uint64_t seed, bool trace);

/* Ends the process with exit status 1, after a message that names the seed and the time. */
_Noreturn void world_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

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
