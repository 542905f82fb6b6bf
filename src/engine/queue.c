/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What waits: each flow has a queue of transactions, each agent a list of the flows that
 * could send, the engine a list of the agents that could. Both lists are served in turn, so
 * no destination and no agent starves another.
 */
#include "engine/state.h"

static bool agent_may_write(const struct agent *agent)
{
	return agent->ready_head != FLOW_NONE && window_has_room(&agent->window) && !agent->lost;
}

static void agent_wake(struct engine *engine, uint16_t number)
{
	struct agent *agent = &engine->agent[number];

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
	agent_wake(engine, flow->agent);
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
	engine->agent[transaction->agent].queued++;
	queue_update(engine, transaction->flow);
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

/* The first ready agent that may write, taken off the list; NULL: none. */
static struct agent *agent_pop(struct engine *engine)
{
	while (engine->ready_head != SLOT_NONE) {
		struct agent *agent = &engine->agent[engine->ready_head];

		engine->ready_head = agent->next;
		agent->ready = false;
		if (agent_may_write(agent))
			return agent;
	}
	return NULL;
}

uint32_t queue_next(struct engine *engine)
{
	struct agent *agent = agent_pop(engine);
	struct flow *flow;
	uint32_t index;
	uint32_t slot;

	if (!agent)
		return SLOT_NONE;
	index = agent->ready_head;
	flow_unlist(engine, agent, index);
	flow = &engine->flows.flow[index];
	slot = flow->wait_head;
	queue_unlink(engine, slot);
	window_take(&agent->window);
	window_take(&flow->window);
	queue_update(engine, index);
	return slot;
}

bool engine_wants_write(const struct engine *engine)
{
	return engine->ready_head != SLOT_NONE || engine_wants_segment(engine);
}
