/* SPDX-License-Identifier: BSD-2-Clause */
/* The world that a scenario is played in: its clock, its fabric, and the kernel before that. */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H

#include <stdint.h>

struct scenario;

/* Opens the world of a scenario, which must be done by the virtual time @bound from now on. */
void world_open(const struct scenario *scenario, uint64_t bound);
/* Closes the world, and fails the seed if the library has left something behind. */
void world_close(void);

/* Has world_least_time() leave out the requests that were made so far. */
void world_forget_work(void);

/*
 * Returns the least time that all requests so far can have taken: the longest chain of requests of
 * which each needed the answer before, or the busiest node's work.
 */
uint64_t world_least_time(void);

/* Returns how long an SMP that arrives now waits at the busiest switch. */
uint64_t world_longest_wait(void);

/* Returns how many MADs the kernel has taken. */
uint64_t world_written(void);

/* The MADs that have not arrived. */
struct world_drops {
	uint64_t full;	/* a port's queue had no room */
	uint64_t lost;	/* by chance */
	uint64_t local; /* on the program's own host */
	uint64_t other; /* at nodes and links that are dead, mostly */
};
void world_drops(struct world_drops *drops);

#endif
