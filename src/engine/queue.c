/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What waits: each flow has a queue of transactions, each agent a list of the flows that
 * could send, the engine a list of the agents that could. Both lists are served in turn, so
 * no destination and no agent starves another.
 */
#include "engine/engine_state.h"

static bool agent_may_write(const struct agent *agent)
{
	return agent->ready_head != FLOW_NONE && window_has_room(&agent->window) && !agent->lost;
}

static inline void agent_wake(struct engine *engine, struct agent *agent, uint16_t number)
{
	if (agent->ready || !agent_may_write(agent))
		return;
	agent->ready = true;
	agent->next = SLOT_NONE;
	if (engine->ready_head == SLOT_NONE)
		engine->ready_head = number;
	else
		engine->agent[engine->ready_tail].next = number;
	engine->ready_tail = number;
}

static bool flow_may_write(const struct flow *flow)
{
	return flow->wait_head != SLOT_NONE && window_has_room(&flow->window);
}

static void flow_list(struct engine *engine, struct agent *agent, uint32_t index)
{
	struct flow *flow = &engine->flows.flow[index];

	flow->ready = true;
	flow->next = FLOW_NONE;
	flow->prev = agent->ready_tail;
	if (flow->prev == FLOW_NONE)
		agent->ready_head = index;
	else
		engine->flows.flow[flow->prev].next = index;
	agent->ready_tail = index;
}

static void flow_unlist(struct engine *engine, struct agent *agent, uint32_t index)
{
	struct flow *flow = &engine->flows.flow[index];

	flow->ready = false;
	if (flow->prev == FLOW_NONE)
		agent->ready_head = flow->next;
	else
		engine->flows.flow[flow->prev].next = flow->next;
	if (flow->next == FLOW_NONE)
		agent->ready_tail = flow->prev;
	else
		engine->flows.flow[flow->next].prev = flow->prev;
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
	if (flow->wait_head == SLOT_NONE && !flow->window.in_flight && !flow->idle)
		flow_table_idle(&engine->flows, index);
	agent_wake(engine, agent, flow->agent);
}

/* Something more waits in a flow, which may be the first; no window has changed. */
static inline void flow_wake(struct engine *engine, struct flow *flow, uint32_t index)
{
	struct agent *agent = &engine->agent[flow->agent];

	agent->queued++;
	if (flow->ready || !window_has_room(&flow->window))
		return;
	flow_list(engine, agent, index);
	agent_wake(engine, agent, flow->agent);
}

void queue_append(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	transaction->state = TRANSACTION_QUEUED;
	transaction->next = SLOT_NONE;
	transaction->prev = flow->wait_tail;
	if (flow->wait_tail == SLOT_NONE)
		flow->wait_head = slot;
	else
		engine->transaction[flow->wait_tail].next = slot;
	flow->wait_tail = slot;
	flow_wake(engine, flow, transaction->flow);
}

void queue_prepend(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	transaction->state = TRANSACTION_QUEUED;
	transaction->prev = SLOT_NONE;
	transaction->next = flow->wait_head;
	if (flow->wait_head == SLOT_NONE)
		flow->wait_tail = slot;
	else
		engine->transaction[flow->wait_head].prev = slot;
	flow->wait_head = slot;
	engine->agent[transaction->agent].queued++;
	queue_update(engine, transaction->flow);
}

static void queue_unlink(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct flow *flow = &engine->flows.flow[transaction->flow];

	if (transaction->prev == SLOT_NONE)
		flow->wait_head = transaction->next;
	else
		engine->transaction[transaction->prev].next = transaction->next;
	if (transaction->next == SLOT_NONE)
		flow->wait_tail = transaction->prev;
	else
		engine->transaction[transaction->next].prev = transaction->prev;
	engine->agent[transaction->agent].queued--;
}

void queue_remove(struct engine *engine, uint32_t slot)
{
	queue_unlink(engine, slot);
	queue_update(engine, engine->transaction[slot].flow);
}

static void agent_drop_first(struct engine *engine)
{
	struct agent *agent = &engine->agent[engine->ready_head];

	engine->ready_head = agent->next;
	agent->ready = false;
}

/* The first ready agent that may write; NULL: none. Those before it are not ready any more. */
static struct agent *agent_first(struct engine *engine)
{
	while (engine->ready_head != SLOT_NONE) {
		struct agent *agent = &engine->agent[engine->ready_head];

		if (agent_may_write(agent))
			return agent;
		agent_drop_first(engine);
	}
	return NULL;
}

/* The first of the flows has written: it is the next one's turn. */
static void flow_turn(struct engine *engine, struct agent *agent, struct flow *flow, uint32_t index)
{
	if (!flow_may_write(flow)) {
		flow_unlist(engine, agent, index);
	} else if (flow->next != FLOW_NONE) {
		flow_unlist(engine, agent, index);
		flow_list(engine, agent, index);
	}
}

/* And so it is the next agent's. */
static void agent_turn(struct engine *engine, struct agent *agent, uint16_t number)
{
	if (agent->next == SLOT_NONE && agent_may_write(agent))
		return;
	agent_drop_first(engine);
	agent_wake(engine, agent, number);
}

static void flow_drop_first(struct engine *engine, struct flow *flow)
{
	flow->wait_head = engine->transaction[flow->wait_head].next;
	if (flow->wait_head == SLOT_NONE)
		flow->wait_tail = SLOT_NONE;
	else
		engine->transaction[flow->wait_head].prev = SLOT_NONE;
}

uint32_t queue_next(struct engine *engine)
{
	struct agent *agent = agent_first(engine);
	struct flow *flow;
	uint32_t index;
	uint32_t slot;

	if (!agent)
		return SLOT_NONE;
	index = agent->ready_head;
	flow = &engine->flows.flow[index];
	slot = flow->wait_head;
	flow_drop_first(engine, flow);
	agent->queued--;
	window_take(&agent->window);
	window_take(&flow->window);
	flow_turn(engine, agent, flow, index);
	agent_turn(engine, agent, flow->agent);
	return slot;
}

bool engine_wants_write(const struct engine *engine)
{
	return engine->ready_head != SLOT_NONE || engine_wants_segment(engine);
}
