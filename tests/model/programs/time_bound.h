/* SPDX-License-Identifier: BSD-2-Clause */
/* A bound on the virtual time of a reliable, static scenario. */
#ifndef MODEL_TIME_BOUND_H
#define MODEL_TIME_BOUND_H

#include <stdint.h>

struct scenario;

/* The work that a scenario's time depends on. */
struct work_done {
	uint64_t least;	     /* by world_least_time() */
	uint64_t mads;	     /* sent, every attempt */
	uint64_t unanswered; /* of these, or answered by BUSY, or canceled */
	unsigned int hops;   /* to the node that is farthest away */
};

uint64_t time_bound(const struct scenario *scenario, const struct work_done *work);

#endif
