/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays seeds in processes of their own, so that one that fails ends only itself. */
#ifndef MODEL_JOBS_H
#define MODEL_JOBS_H

#include <stdbool.h>
#include <stdint.h>

struct seeds {
	uint64_t first, count;
	unsigned int jobs;
	bool twice;
};

/* Returns the exit status: 0, or 1 when a seed did not hold, after a command that repeats it. */
int jobs_play(const struct seeds *seeds);

#endif
