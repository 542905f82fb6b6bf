/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes the engine and its lanes. */
#include <errno.h>
#include <stdlib.h>

#include "base/table.h"
#include "engine/cancel.h"
#include "engine/engine_state.h"
#include "engine/held.h"
#include "engine/inbox.h"

static bool is_valid_config(const struct engine_config *config)
{
	return config->transactions >= 1 && config->transactions <= MADRING_MAX_TRANSACTIONS &&
	       config->agents >= 1 && config->agents <= MADRING_MAX_AGENTS && config->lanes >= 1 &&
	       config->lanes <= MADRING_MAX_LANES && config->flows >= config->transactions &&
	       config->flows < FLOW_NONE / 2 && config->tick_ns;
}

static int open_tables(struct engine *engine)
{
	const struct engine_config *config = &engine->config;

	engine->transaction = table_alloc(config->transactions, sizeof(struct transaction));
	engine->free_slot = table_alloc(config->transactions, sizeof(*engine->free_slot));
	engine->agent = calloc(config->agents, sizeof(*engine->agent));
	if (!engine->transaction || !engine->free_slot || !engine->agent)
		return -ENOMEM;
	if (flow_table_open(&engine->flows, config->flows, config->seed) < 0)
		return -ENOMEM;
	return wheel_open(&engine->wheel, config->transactions, config->now / config->tick_ns);
}

/* splitmix64: for the jitter and the first generations of TIDs, not for secrets. */
static uint64_t scramble_seed(uint64_t seed)
{
	seed += 0x9e3779b97f4a7c15u;
	seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u;
	seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
	return (seed ^ (seed >> 31)) | 1;
}

static void clear_lane(struct lane *lane)
{
	*lane = (struct lane){ .others = AGENT_NONE };
	for (uint32_t i = 0; i < LANE_AGENTS; i++)
		lane->owner[i] = AGENT_NONE;
}

int engine_open(struct engine **out, const struct engine_config *config)
{
	struct engine *engine;
	uint32_t generation;

	if (!is_valid_config(config))
		return -EINVAL;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		return -ENOMEM;
	engine->config = *config;
	engine->now = config->now;
	engine->heard = config->now;
	engine->abandoned_until = ENGINE_NEVER;
	if (open_tables(engine) < 0) {
		engine_close(engine);
		return -ENOMEM;
	}
	engine->slot_bits = table_bits(config->transactions);
	engine->random = scramble_seed(config->seed);
	/*
	 * A random first generation: late replies to an earlier ring should match no transaction.
	 */
	generation = (uint32_t)(engine->random >> 32) & ~((1u << engine->slot_bits) - 1);
	generation |= TID_OWN;
	for (uint32_t slot = 0; slot < config->transactions; slot++) {
		engine->transaction[slot] = (struct transaction){ .tid = generation | slot };
		engine->free_slot[slot] = slot;
	}
	engine->free_count = config->transactions;
	engine->ended = LIST_EMPTY;
	engine->aborts = LIST_EMPTY;
	engine->ready_agents = LIST_EMPTY;
	engine->requested_agents = LIST_EMPTY;
	for (uint32_t lane = 0; lane < MADRING_MAX_LANES; lane++)
		clear_lane(&engine->lane[lane]);
	*out = engine;
	return 0;
}

void engine_close(struct engine *engine)
{
	if (!engine)
		return;
	rmpp_close(engine->rmpp);
	free(engine->segments);
	wheel_close(&engine->wheel);
	flow_table_close(&engine->flows);
	for (uint32_t i = 0; engine->agent && i < engine->config.agents; i++) {
		free(engine->agent[i].inbox.entry);
		free(engine->agent[i].held.abandoned);
		free(engine->agent[i].sent.attempt);
	}
	free(engine->agent);
	free(engine->free_slot);
	free(engine->transaction);
	free(engine);
}

void engine_lane_open(struct engine *engine, unsigned int lane)
{
	assert(lane < engine->config.lanes && !engine->lane[lane].open);
	clear_lane(&engine->lane[lane]);
	engine->lane[lane].open = true;
}

void engine_lane_starved(struct engine *engine, unsigned int lane, bool starved)
{
	assert(lane < engine->config.lanes);
	engine->lane[lane].starved = starved;
}

static bool agent_has_open_lane(const struct engine *engine, const struct agent *agent)
{
	for (unsigned int i = 0; i < agent->config.lane_count; i++)
		if (engine->lane[agent->config.lane[i].lane].open)
			return true;
	return false;
}

static void mark_agent_if_lost(struct engine *engine, struct agent *agent)
{
	const struct engine_received gone = {
		.status = -ENODEV,
		.agent = (unsigned int)(agent - engine->agent),
	};

	if (agent->state == AGENT_FREE || agent->lost || agent_has_open_lane(engine, agent))
		return;
	agent->lost = true;
	if (!agent->inbox.entry)
		return;
	engine->receivers--;
	inbox_put(engine, agent, &gone);
}

void engine_lane_lost(struct engine *engine, unsigned int lane)
{
	assert(lane < engine->config.lanes);
	if (!engine->lane[lane].open)
		return;
	engine->lane[lane].open = false;
	held_forget_lane(engine, lane);
	if (engine->rmpp)
		rmpp_forget_lane(engine->rmpp, lane);
	for (uint32_t i = 0; i < engine->config.agents; i++)
		mark_agent_if_lost(engine, &engine->agent[i]);
	/* A ring that closes has many lanes and no transaction. */
	if (!engine_outstanding(engine))
		return;
	for (uint32_t slot = 0; slot < engine->config.transactions; slot++) {
		const struct transaction *transaction = &engine->transaction[slot];
		bool flying = transaction->state == TRANSACTION_FLYING && transaction->lane == lane;
		bool stranded = transaction->state == TRANSACTION_QUEUED &&
				engine->agent[transaction->agent].lost;

		if (flying || stranded)
			cancel_transaction(engine, slot, -ENODEV);
	}
}

void engine_shutdown(struct engine *engine)
{
	engine->is_shut = true;
	for (uint32_t i = 0; i < engine->config.agents; i++)
		engine_agent_cancel(engine, i);
}

uint32_t engine_outstanding(const struct engine *engine)
{
	return engine->outstanding;
}

uint32_t engine_completed(const struct engine *engine)
{
	return engine->ended_count;
}

uint32_t engine_in_flight(const struct engine *engine)
{
	return engine->in_flight;
}

uint32_t engine_lane_in_flight(const struct engine *engine, unsigned int lane)
{
	return engine->lane[lane].in_flight;
}

const struct engine_stats *engine_stats(const struct engine *engine)
{
	return &engine->stats;
}
