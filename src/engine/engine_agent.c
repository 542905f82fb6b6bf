/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes agents, and reports their state. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cancel.h"
#include "engine/engine_state.h"
#include "engine/held.h"
#include "engine/inbox.h"
#include "engine/overtaken.h"
#include "engine/timeout.h"

bool engine_has_agent(const struct engine *engine, unsigned int lane, uint32_t agent_id)
{
	return agent_id < LANE_AGENTS && engine->lane[lane].owner[agent_id] != AGENT_NONE;
}

/* Records @owner, or AGENT_NONE, as the owner of the agent's kernel agents on its lanes. */
static void set_owner(struct engine *engine, const struct agent *agent, uint32_t owner)
{
	for (unsigned int i = 0; i < agent->config.lane_count; i++) {
		const struct engine_agent_lane *at = &agent->config.lane[i];

		if (at->agent_id < LANE_AGENTS) {
			engine->lane[at->lane].owner[at->agent_id] = owner;
			engine->lane[at->lane].registration[at->agent_id] = (uint8_t)i;
		} else if (agent->config.others) {
			engine->lane[at->lane].others = owner;
		}
	}
}

int engine_agent_open(struct engine *engine, const struct engine_agent_config *config)
{
	const struct pace_limits limits = {
		.window = config->window,
		.flow_window = config->flow_window,
		.flow_first = config->flow_first ? config->flow_first : config->flow_window,
		.queue_ns = config->queue_ns,
		.pin_window = config->pin_window,
		.pin_flow_window = config->pin_flow_window,
		.is_careful = timeout_is_careful(config),
		.first_timeout_ns = config->first_timeout_ns,
		.min_timeout_ns = config->min_timeout_ns,
		.max_timeout_ns = config->max_timeout_ns,
		.tick_ns = engine->config.tick_ns,
	};
	struct agent *agent = engine->agent;
	struct inbox inbox;
	uint32_t number = 0;

	assert(config->lane_count >= 1 && config->lane_count <= ENGINE_MOST_REGISTRATIONS &&
	       config->kernel_limit <= ENGINE_MOST_HELD);
	while (number < engine->config.agents && agent[number].state != AGENT_FREE)
		number++;
	if (number == engine->config.agents)
		return -ENOSPC;
	if (inbox_open(&inbox, config) < 0)
		return -ENOMEM;
	agent += number;
	if (number >= engine->agents_used)
		engine->agents_used = number + 1;
	/* An agent that was closed may still stand in ready_agents; the new one keeps its place. */
	*agent = (struct agent){
		.state = AGENT_OPEN,
		.config = *config,
		.incarnation = ++engine->incarnations,
		.ready_flows = { LIST_EMPTY, LIST_EMPTY },
		.ready = agent->ready,
		.link = agent->link,
		.lost = true,
		.inbox = inbox,
	};
	if (held_open(engine, agent) < 0 || overtaken_open(engine, agent) < 0) {
		held_close(agent);
		free(inbox.entry);
		agent->state = AGENT_FREE;
		agent->inbox = (struct inbox){ 0 };
		return -ENOMEM;
	}
	memset(agent->agent_id, 0xff, sizeof(agent->agent_id));
	pace_agent_open(&agent->pace, &limits, engine->now);
	for (unsigned int i = config->lane_count; i--;) {
		agent->agent_id[config->lane[i].lane] = config->lane[i].agent_id;
		if (engine->lane[config->lane[i].lane].open)
			agent->lost = false;
	}
	set_owner(engine, agent, number);
	engine->receivers += inbox.entry && !agent->lost;
	return (int)number;
}

static void forget_segments(struct engine *engine, const struct agent *agent)
{
	for (unsigned int i = 0; i < agent->config.lane_count; i++)
		rmpp_forget_agent(engine->rmpp, agent->config.lane[i].lane,
				  agent->config.lane[i].agent_id);
}

void engine_agent_close(struct engine *engine, unsigned int number)
{
	struct agent *agent = &engine->agent[number];

	assert(number < engine->config.agents && agent->state == AGENT_OPEN && !agent->inbox.count);
	engine_agent_cancel(engine, number);
	if (agent->config.user_rmpp)
		forget_segments(engine, agent);
	set_owner(engine, agent, AGENT_NONE);
	held_close(agent);
	overtaken_close(agent);
	engine->receivers -= agent->inbox.entry && !agent->lost;
	inbox_close(engine, agent);
	agent->state = agent->transactions ? AGENT_CLOSING : AGENT_FREE;
}

unsigned int engine_agent_cancel(struct engine *engine, unsigned int number)
{
	unsigned int count = 0;

	assert(number < engine->config.agents);
	if (!engine->agent[number].transactions)
		return 0;
	for (uint32_t slot = 0; slot < engine->config.transactions; slot++) {
		const struct transaction *transaction = &engine->transaction[slot];

		if (transaction->agent != number || (transaction->state != TRANSACTION_QUEUED &&
						     transaction->state != TRANSACTION_FLYING))
			continue;
		cancel_transaction(engine, slot, -ECANCELED);
		count++;
	}
	return count;
}

void engine_agent_state(const struct engine *engine, unsigned int number,
			struct engine_agent_state *state)
{
	const struct agent *agent = &engine->agent[number];

	assert(number < engine->config.agents && agent->state != AGENT_FREE);
	*state = (struct engine_agent_state){
		.window = agent->pace.window.size,
		.in_flight = pace_in_flight(&agent->pace.window),
		.queued = agent->queued,
		.overtaken = agent->pace.window.placeless,
		.kernel_limit = agent->held.limit,
		.kernel_held = agent->held.count,
		.timeout_ns = timeout_first(agent, NULL),
	};
}
