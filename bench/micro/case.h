/* SPDX-License-Identifier: BSD-2-Clause */
/* A micro benchmark, in C. register.cc hands each to google-benchmark, at each size. */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bench_case {
	const char *name;
	/* Returns a state with @entries in use at once, or NULL if there is no memory. */
	void *(*open)(uint32_t entries);
	/* Does some operations, and returns how many. */
	uint64_t (*round)(void *state);
	/* Closes @state. Returns what has gone wrong, or NULL. */
	const char *(*close)(void *state);
};

extern const struct bench_case bench_pool, bench_message, bench_lookup, bench_wheel;
extern const struct bench_case bench_engine, bench_engine_random_order, bench_engine_directed;
extern const struct bench_case bench_fabric_ideal, bench_fabric_modelled;

#ifdef __cplusplus
}
#endif
#endif
