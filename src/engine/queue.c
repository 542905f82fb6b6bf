/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Queues. Each flow has a queue of transactions. Each agent has two lists of the flows that may
 * write, and the engine a list of the agents that may. The flows of a list and the agents have
 * turns, so that no destination and no agent starves another. Flows with many transactions queued
 * have a list of their own and most of the turns: the slowest of them decides when all is over.
 */
#include "engine/queue.h"

#include "engine/engine_state.h"
#include "engine/held.h"

/* A flow with so many transactions queued has a place in the second list. */
#define MANY 4u

/* One of so many turns is for the flows with few transactions, if both lists have some. */
#define TURNS 4u

static bool can_agent_write(const struct agent *agent)
{
	return agent_has_ready_flow(agent) && pace_admits(&agent->pace.window) && !agent->lost &&
	       (agent->held.room || agent->held.exempt);
}

static inline void list_agent_if_ready(struct engine *engine, struct agent *agent, uint16_t number)
{
	if (agent->ready || !can_agent_write(agent))
		return;
	agent->ready = true;
	list_append(&engine->ready_agents, LINKS(engine->agent, link), number);
}

static bool can_flow_write(const struct flow *flow)
{
	return !list_is_empty(&flow->waiting) && pace_admits(&flow->pace.window);
}

static void list_flow(struct engine *engine, struct agent *agent, uint32_t index)
{
	struct flow *flow = &engine->flows.flow[index];

	flow->ready = true;
	flow->many = flow->waiting_count >= MANY;
	list_append(&agent->ready_flows[flow->many], LINKS(engine->flows.flow, link), index);
}

static void unlist_flow(struct engine *engine, struct agent *agent, uint32_t index)
{
	struct flow *flow = &engine->flows.flow[index];

	flow->ready = false;
	list_remove(&agent->ready_flows[flow->many], LINKS(engine->flows.flow, link), index);
}

void queue_update(struct engine *engine, uint32_t index)
{
	struct flow *flow = &engine->flows.flow[index];
	struct agent *agent = &engine->agent[flow->agent];
	bool may_write = can_flow_write(flow);

	if (may_write && !flow->ready)
		list_flow(engine, agent, index);
	else if (!may_write && flow->ready)
		unlist_flow(engine, agent, index);
	if (list_is_empty(&flow->waiting) && !pace_in_flight(&flow->pace.window) && !flow->idle)
		flow_table_idle(&engine->flows, index);
	list_agent_if_ready(engine, agent, flow->agent);
}

void queue_update_agent(struct engine *engine, struct agent *agent)
{
	list_agent_if_ready(engine, agent, (uint16_t)(agent - engine->agent));
}

static inline void count_queued(struct agent *agent, struct flow *flow,
				const struct transaction *transaction)
{
	agent->queued++;
	flow->waiting_count++;
	if (held_is_limited(&agent->held))
		agent->held.exempt += held_is_exempt(transaction);
}

static inline void uncount_queued(struct agent *agent, struct flow *flow,
				  const struct transaction *transaction)
{
	agent->queued--;
	flow->waiting_count--;
	if (held_is_limited(&agent->held))
		agent->held.exempt -= held_is_exempt(transaction);
}

/* Lists a flow to which a transaction was added. The pace has not changed. */
static inline void list_flow_with_one_more(struct engine *engine, struct flow *flow,
					   const struct transaction *transaction)
{
	struct agent *agent = &engine->agent[flow->agent];
	uint32_t index = transaction->flow;

	count_queued(agent, flow, transaction);
	if (flow->ready || !pace_admits(&flow->pace.window))
		return;
	list_flow(engine, agent, index);
	list_agent_if_ready(engine, agent, flow->agent);
}

void queue_append(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	transaction->state = TRANSACTION_QUEUED;
	list_append(&flow->waiting, LINKS(engine->transaction, link), slot);
	list_flow_with_one_more(engine, flow, transaction);
}

void queue_prepend(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	transaction->state = TRANSACTION_QUEUED;
	list_prepend(&flow->waiting, LINKS(engine->transaction, link), slot);
	count_queued(&engine->agent[transaction->agent], flow, transaction);
	queue_update(engine, transaction->flow);
}

void queue_retry(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	if (transaction->attempts <= transaction->redirects + 1u) {
		queue_prepend(engine, slot);
		return;
	}
	transaction->state = TRANSACTION_QUEUED;
	list_append(&flow->waiting, LINKS(engine->transaction, link), slot);
	count_queued(&engine->agent[transaction->agent], flow, transaction);
	queue_update(engine, transaction->flow);
}

void queue_remove(struct engine *engine, uint32_t slot)
{
	const struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	assert(transaction->state == TRANSACTION_QUEUED);
	list_remove(&flow->waiting, LINKS(engine->transaction, link), slot);
	uncount_queued(&engine->agent[transaction->agent], flow, transaction);
	queue_update(engine, transaction->flow);
}

/* Takes the first ready agent off the list. */
static void unlist_first_agent(struct engine *engine)
{
	uint32_t number = list_take_first(&engine->ready_agents, LINKS(engine->agent, link));

	engine->agent[number].ready = false;
}

/* Returns the first ready agent that may write, or NULL, and takes those before it off the list. */
static struct agent *first_ready_agent(struct engine *engine)
{
	while (!list_is_empty(&engine->ready_agents)) {
		struct agent *agent = &engine->agent[engine->ready_agents.first];

		if (can_agent_write(agent))
			return agent;
		unlist_first_agent(engine);
	}
	return NULL;
}

/* Gives the next flow its turn, after the first one has written. */
static void pass_flow_turn(struct engine *engine, struct agent *agent, struct flow *flow,
			   uint32_t index)
{
	if (!can_flow_write(flow)) {
		unlist_flow(engine, agent, index);
	} else if (flow->link.next != FLOW_NONE || flow->many != (flow->waiting_count >= MANY)) {
		unlist_flow(engine, agent, index);
		list_flow(engine, agent, index);
	}
}

/* Gives the next agent its turn, after the first one has written. */
static void pass_agent_turn(struct engine *engine, struct agent *agent, uint16_t number)
{
	if (agent->link.next == AGENT_NONE && can_agent_write(agent))
		return;
	unlist_first_agent(engine);
	list_agent_if_ready(engine, agent, number);
}

/*
 * Returns the first flow of a list whose next transaction the kernel does not count, or FLOW_NONE.
 * It may look at each flow. That is seldom: only while the kernel has no room for a class that it
 * limits, and one of the few MADs that it does not count waits there. An SA is one flow.
 */
static uint32_t first_exempt_flow(const struct engine *engine, const struct list *flows)
{
	const struct list_links links = LINKS(engine->flows.flow, link);
	uint32_t index = flows->first;

	while (index != FLOW_NONE &&
	       !held_is_exempt(&engine->transaction[engine->flows.flow[index].waiting.first]))
		index = list_next(links, index);
	return index;
}

/*
 * Returns the agent's next ready flow whose next transaction the kernel has room for, or
 * FLOW_NONE.
 */
static uint32_t first_flow_with_room(const struct engine *engine, const struct agent *agent)
{
	unsigned int turn = agent->turns % TURNS != 0;
	uint32_t index;

	if (list_is_empty(&agent->ready_flows[turn]))
		turn = !turn;
	if (__builtin_expect(agent->held.room != 0, 1))
		return agent->ready_flows[turn].first;
	index = first_exempt_flow(engine, &agent->ready_flows[turn]);
	return index != FLOW_NONE ? index : first_exempt_flow(engine, &agent->ready_flows[!turn]);
}

/* Returns the next flow that may write, or FLOW_NONE; its agent is the first ready one. */
static uint32_t next_flow(struct engine *engine)
{
	const struct agent *agent;

	while ((agent = first_ready_agent(engine))) {
		uint32_t index = first_flow_with_room(engine, agent);

		if (index != FLOW_NONE)
			return index;
		unlist_first_agent(engine);
	}
	return FLOW_NONE;
}

uint32_t queue_next(struct engine *engine)
{
	uint32_t index = next_flow(engine);
	struct agent *agent;
	struct flow *flow;
	uint32_t slot;

	if (index == FLOW_NONE)
		return SLOT_NONE;
	flow = &engine->flows.flow[index];
	agent = &engine->agent[flow->agent];
	slot = list_take_first(&flow->waiting, LINKS(engine->transaction, link));
	uncount_queued(agent, flow, &engine->transaction[slot]);
	agent->turns++;
	pace_sent(&agent->pace, &flow->pace);
	pass_flow_turn(engine, agent, flow, index);
	pass_agent_turn(engine, agent, flow->agent);
	return slot;
}
