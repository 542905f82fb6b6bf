/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for the highest rate that holds: doubled until one does not, or halved until one
 * does, and then the middle of the two, until they are within a twentieth of each other.
 */
#ifndef PING_RAMP_H
#define PING_RAMP_H

#include <stdbool.h>
#include <stdint.h>

#define RAMP_LEAST_MHZ 1000u	     /* one a second */
#define RAMP_MOST_MHZ  100000000000u /* 100 million */

struct ramp {
	uint64_t rate_mhz;  /* to be tried now */
	uint64_t held_mhz;  /* the highest that held; 0: none has */
	uint64_t broke_mhz; /* the lowest that did not; 0: all have held */
};

void ramp_start(struct ramp *ramp, uint64_t rate_mhz);

/* Notes whether .rate_mhz held. Returns whether there is another rate to try. */
bool ramp_next(struct ramp *ramp, bool held);

#endif
