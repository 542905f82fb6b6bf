/* SPDX-License-Identifier: BSD-2-Clause */
/* An agent: its windows, its queues, and its registrations with the kernel. */
#ifndef MADRING_ENGINE_ENGINE_AGENT_H
#define MADRING_ENGINE_ENGINE_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/engine.h"
#include "engine/held.h"
#include "engine/inbox.h"
#include "engine/overtaken.h"
#include "pace/pace.h"

#define AGENT_NONE LIST_NONE

enum agent_state { AGENT_FREE = 0, AGENT_OPEN, AGENT_CLOSING };

struct agent {
	enum agent_state state;
	struct engine_agent_config config;
	struct pace_agent pace;
	struct sent sent;
	uint64_t incarnation;  /* part of its flows' keys, because numbers are used again */
	uint32_t transactions; /* accepted and not completed */
	uint32_t queued;
	/*
	 * Flows with something queued and room in their window: those with few transactions
	 * queued, and those with many.
	 */
	struct list ready_flows[2];
	uint32_t turns;	       /* of flows, so far */
	struct list_link link; /* in engine.ready_agents, while .ready */
	bool ready;
	bool lost;		     /* all its lanes are gone */
	uint32_t run_lane, run_left; /* the index of its next writes' lane, and how many go there */
	struct inbox inbox;
	uint32_t agent_id[MADRING_MAX_LANES]; /* of its first registration on each lane */
	struct held held;
};

static inline bool agent_has_ready_flow(const struct agent *agent)
{
	return !list_is_empty(&agent->ready_flows[0]) || !list_is_empty(&agent->ready_flows[1]);
}

#endif
