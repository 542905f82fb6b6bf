/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What waits: each flow has a queue of transactions, each agent a list of the flows that
 * could send, the engine a list of the agents that could. Both lists are served in turn, so
 * no destination and no agent starves another.
 */
#include "engine/engine_state.h"

static bool agent_may_write(const struct agent *agent)
{
	return !list_is_empty(&agent->ready_flows) && pace_agent_admits(&agent->pace) &&
	       !agent->lost;
}

static inline void agent_wake(struct engine *engine, struct agent *agent, uint16_t number)
{
	if (agent->ready || !agent_may_write(agent))
		return;
	agent->ready = true;
	list_append(&engine->ready_agents, LINKS(engine->agent, link), number);
}

static bool flow_may_write(const struct flow *flow)
{
	return !list_is_empty(&flow->waiting) && pace_flow_admits(&flow->pace);
}

static void flow_list(struct engine *engine, struct agent *agent, uint32_t index)
{
	engine->flows.flow[index].ready = true;
	list_append(&agent->ready_flows, LINKS(engine->flows.flow, link), index);
}

static void flow_unlist(struct engine *engine, struct agent *agent, uint32_t index)
{
	engine->flows.flow[index].ready = false;
	list_remove(&agent->ready_flows, LINKS(engine->flows.flow, link), index);
}

void queue_update(struct engine *engine, uint32_t index)
{
	struct flow *flow = &engine->flows.flow[index];
	struct agent *agent = &engine->agent[flow->agent];
	bool may_write = flow_may_write(flow);

	if (may_write && !flow->ready)
		flow_list(engine, agent, index);
	else if (!may_write && flow->ready)
		flow_unlist(engine, agent, index);
	if (list_is_empty(&flow->waiting) && !pace_flow_in_flight(&flow->pace) && !flow->idle)
		flow_table_idle(&engine->flows, index);
	agent_wake(engine, agent, flow->agent);
}

/* `flow_wake` lists a flow in which something more waits, which may be the first. The pace has
   not changed. */
static inline void flow_wake(struct engine *engine, struct flow *flow, uint32_t index)
{
	struct agent *agent = &engine->agent[flow->agent];

	agent->queued++;
	if (flow->ready || !pace_flow_admits(&flow->pace))
		return;
	flow_list(engine, agent, index);
	agent_wake(engine, agent, flow->agent);
}

void queue_append(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	transaction->state = TRANSACTION_QUEUED;
	list_append(&flow->waiting, LINKS(engine->transaction, link), slot);
	flow_wake(engine, flow, transaction->flow);
}

void queue_prepend(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	transaction->state = TRANSACTION_QUEUED;
	list_prepend(&flow->waiting, LINKS(engine->transaction, link), slot);
	engine->agent[transaction->agent].queued++;
	queue_update(engine, transaction->flow);
}

void queue_remove(struct engine *engine, uint32_t slot)
{
	const struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	assert(transaction->state == TRANSACTION_QUEUED);
	list_remove(&flow->waiting, LINKS(engine->transaction, link), slot);
	engine->agent[transaction->agent].queued--;
	queue_update(engine, transaction->flow);
}

/* `agent_drop_first` takes the first ready agent off the list. */
static void agent_drop_first(struct engine *engine)
{
	uint32_t number = list_take_first(&engine->ready_agents, LINKS(engine->agent, link));

	engine->agent[number].ready = false;
}

/* `agent_first` returns the first ready agent that may write, or NULL. Those before it are not
   ready any more. */
static struct agent *agent_first(struct engine *engine)
{
	while (!list_is_empty(&engine->ready_agents)) {
		struct agent *agent = &engine->agent[engine->ready_agents.first];

		if (agent_may_write(agent))
			return agent;
		agent_drop_first(engine);
	}
	return NULL;
}

/* `flow_pass_turn` gives the next flow its turn, after the first one has written. */
static void flow_pass_turn(struct engine *engine, struct agent *agent, struct flow *flow,
			   uint32_t index)
{
	if (!flow_may_write(flow)) {
		flow_unlist(engine, agent, index);
	} else if (flow->link.next != FLOW_NONE) {
		flow_unlist(engine, agent, index);
		flow_list(engine, agent, index);
	}
}

/* `agent_pass_turn` gives the next agent its turn, after the first one has written. */
static void agent_pass_turn(struct engine *engine, struct agent *agent, uint16_t number)
{
	if (agent->link.next == AGENT_NONE && agent_may_write(agent))
		return;
	agent_drop_first(engine);
	agent_wake(engine, agent, number);
}

uint32_t queue_next(struct engine *engine)
{
	struct agent *agent = agent_first(engine);
	struct flow *flow;
	uint32_t index;
	uint32_t slot;

	if (!agent)
		return SLOT_NONE;
	index = agent->ready_flows.first;
	flow = &engine->flows.flow[index];
	slot = list_take_first(&flow->waiting, LINKS(engine->transaction, link));
	agent->queued--;
	pace_sent(&agent->pace, &flow->pace);
	flow_pass_turn(engine, agent, flow, index);
	agent_pass_turn(engine, agent, flow->agent);
	return slot;
}

bool engine_wants_write(const struct engine *engine)
{
	return !list_is_empty(&engine->ready_agents) || engine_wants_segment(engine);
}
