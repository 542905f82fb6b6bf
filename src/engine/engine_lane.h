/* SPDX-License-Identifier: BSD-2-Clause */
/* A lane: one umad file, and the agents that the kernel has on it. */
#ifndef MADRING_ENGINE_ENGINE_LANE_H
#define MADRING_ENGINE_ENGINE_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

/* The kernel numbers the agents of a umad file from 0 to LANE_AGENTS - 1. */
#define LANE_AGENTS 32u

struct lane {
	bool open;
	uint32_t in_flight;
	uint32_t full;	 /* how many agents on it have a full inbox */
	uint32_t others; /* the agent that receives for the program's own agents, or AGENT_NONE */
	bool starved;	 /* its next message waits for a long buffer */
	uint32_t owner[LANE_AGENTS];	   /* the agent of each kernel agent, or AGENT_NONE */
	uint8_t registration[LANE_AGENTS]; /* which of its owner's registrations that is */
};

_Static_assert(ENGINE_MOST_REGISTRATIONS <= UINT8_MAX + 1, "an index of registrations fits");

/* Tells whether the driver leaves MADs of the lane in the kernel for now. */
static inline bool lane_is_paused(const struct lane *lane)
{
	return lane->full || lane->starved;
}

#endif
