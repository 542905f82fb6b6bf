/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's state. Each part of it has a header of its own. */
#ifndef MADRING_ENGINE_ENGINE_STATE_H
#define MADRING_ENGINE_ENGINE_STATE_H

#include <assert.h>

#include "base/list.h"
#include "base/wheel.h"
#include "engine/engine.h"
#include "engine/engine_agent.h"
#include "engine/engine_lane.h"
#include "engine/flow.h"
#include "engine/tid.h"
#include "engine/transaction.h"
#include "rmpp/rmpp.h"

struct segments;

#define MOST_ANNOUNCED 32u /* as many as the drivers report at a time */

struct engine {
	struct engine_config config;
	unsigned int slot_bits;
	uint64_t random;
	uint64_t serial;
	uint64_t incarnations; /* agents that were ever opened */
	uint32_t agents_used;  /* all agents that are or were open have lower numbers */
	uint64_t now, heard;   /* the latest times that the caller passed, ns */
	uint64_t late_ns;      /* how late the driver may read the MADs that it reports */
	bool is_shut;

	struct transaction *transaction;
	uint32_t *free_slot; /* a ring: slots are used in turn, see tid.h */
	uint32_t free_head, free_count;
	struct list ended;
	uint32_t ended_count;
	struct list aborts;

	struct agent *agent;
	struct list ready_agents;     /* agents that may write */
	struct list requested_agents; /* agents for which requests wait */
	uint32_t requests, receivers; /* requests that wait; agents that may still receive some */
	struct lane lane[MADRING_MAX_LANES];
	struct flow_table flows;
	struct wheel wheel;

	struct rmpp_memory rmpp_memory;
	struct rmpp *rmpp;	   /* NULL: no agent has .user_rmpp */
	struct segments *segments; /* by slot */

	uint32_t announced_count;
	uint32_t announced[MOST_ANNOUNCED]; /* slots whose MADs will be received soon */
	uint32_t outstanding, in_flight;
	uint64_t abandoned_until; /* no abandoned attempt ends before, ns; ENGINE_NEVER */
	struct engine_stats stats;
};

/* Records the time and checks that it does not go back. */
static inline void note_time(struct engine *engine, uint64_t now)
{
	assert(now >= engine->now);
	engine->now = now;
}

/* Returns the agent that owns the kernel agent @agent_id on a lane, or NULL. */
static inline struct agent *agent_of(struct engine *engine, unsigned int lane, uint32_t agent_id)
{
	uint32_t owner = AGENT_NONE;

	if (agent_id < LANE_AGENTS)
		owner = engine->lane[lane].owner[agent_id];
	return owner == AGENT_NONE ? NULL : &engine->agent[owner];
}

#endif
