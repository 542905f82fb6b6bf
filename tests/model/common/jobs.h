/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays seeds in processes of their own, so that one that fails ends only itself. */
#ifndef SIMULATION_JOBS_H
#define SIMULATION_JOBS_H

#include <stdbool.h>
#include <stdint.h>

struct jobs {
	uint64_t first, count; /* seeds */
	unsigned int processes;
	/*
	 * Plays a seed, in one of the processes. It ends that process when something does not hold.
	 */
	void (*play)(uint64_t seed);
	/* Tells, in the process that waits for the others, that a seed did not hold. */
	void (*tell_failed)(uint64_t seed);
};

/* Returns whether all seeds held. */
bool jobs_play(const struct jobs *jobs);

#endif
