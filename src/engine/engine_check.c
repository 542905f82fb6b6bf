/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recounts all that the engine keeps count of, for the simulations, so that a broken invariant is
 * found at the step that breaks it. Of the engine's functions, only this one allocates memory
 * after the engine is open. In builds without assertions it does nothing.
 */
#include <stdlib.h>

#include "engine/engine_state.h"

#ifdef NDEBUG

void engine_check(const struct engine *engine)
{
	(void)engine;
}

#else

/* The sums over all transactions, flows and agents. */
struct recount {
	uint32_t outstanding, in_flight, ended, aborting;
	uint32_t requests, receivers;
	uint32_t lane_in_flight[MADRING_MAX_LANES], lane_full[MADRING_MAX_LANES];
	struct agent_recount {
		uint32_t transactions, queued, in_flight, overtaken, exempt;
		uint32_t held[ENGINE_MOST_REGISTRATIONS];
	} *agent;
	struct flow_recount {
		uint32_t queued, in_flight, released;
	} *flow;
};

/* Counts an attempt that the kernel holds, unless its registration has ended. */
static void count_held(struct recount *recount, const struct engine *engine,
		       const struct transaction *transaction)
{
	const struct lane *lane = &engine->lane[transaction->lane];

	if (!transaction->is_held || !lane->open || !engine->agent[transaction->agent].held.limit)
		return;
	assert(!held_is_exempt(transaction) && transaction->request->agent_id < LANE_AGENTS);
	assert(lane->owner[transaction->request->agent_id] == transaction->agent);
	recount->agent[transaction->agent]
		.held[lane->registration[transaction->request->agent_id]]++;
}

/*
 * Counts a transaction where its state says that it is counted, and checks what must hold in that
 * state.
 */
static void count_transaction(struct recount *recount, const struct engine *engine, uint32_t slot)
{
	const struct transaction *transaction = &engine->transaction[slot];
	struct agent_recount *agent = &recount->agent[transaction->agent];
	struct flow_recount *flow = &recount->flow[transaction->flow];

	assert(tid_slot(transaction->tid, engine->slot_bits) == slot);
	if (transaction->state == TRANSACTION_FREE) {
		assert(!transaction->writing && !transaction->aborting && !transaction->is_held);
		return;
	}
	assert(transaction->request);
	recount->outstanding++;
	agent->transactions++;
	recount->aborting += transaction->aborting;
	assert(!transaction->aborting || transaction->writing);
	count_held(recount, engine, transaction);
	switch (transaction->state) {
	case TRANSACTION_QUEUED:
		assert(!transaction->writing && !transaction->in_segments && !transaction->is_held);
		agent->exempt += held_is_exempt(transaction);
		agent->queued++;
		flow->queued++;
		break;
	case TRANSACTION_FLYING:
		assert(transaction->attempts <= transaction->attempts_allowed);
		assert(!transaction->expired || transaction->writing);
		assert(!transaction->reply);
		assert(transaction->deadline == WHEEL_NEVER ||
		       (wheel_holds(&engine->wheel, slot) &&
			wheel_tick(&engine->wheel, slot) <= transaction->deadline));
		recount->in_flight++;
		recount->lane_in_flight[transaction->lane]++;
		agent->in_flight++;
		flow->in_flight++;
		agent->overtaken += transaction->overtaken;
		flow->released += transaction->released;
		break;
	case TRANSACTION_ENDED:
		assert(!transaction->in_segments);
		recount->ended += !transaction->writing;
		break;
	}
}

/* Checks that each slot is either in the ring of free slots, once, or in use. */
static void check_slots(const struct engine *engine)
{
	uint32_t at = engine->free_head;

	assert(engine->free_count + engine->outstanding == engine->config.transactions);
	for (uint32_t i = 0; i < engine->free_count; i++) {
		assert(engine->transaction[engine->free_slot[at]].state == TRANSACTION_FREE);
		assert(!i || engine->free_slot[at] != engine->free_slot[engine->free_head]);
		at = at + 1 < engine->config.transactions ? at + 1 : 0;
	}
}

static void check_flow(const struct engine *engine, uint32_t index,
		       const struct flow_recount *count)
{
	const struct flow *flow = &engine->flows.flow[index];
	const struct list_links links = LINKS(engine->transaction, link);
	bool may_write = !list_is_empty(&flow->waiting) && pace_admits(&flow->pace.window);

	assert(list_length(&flow->waiting, links) == count->queued);
	assert(flow->waiting_count == count->queued);
	assert(flow->pace.window.placeless == count->released);
	for (uint32_t slot = flow->waiting.first; slot != SLOT_NONE; slot = list_next(links, slot))
		assert(engine->transaction[slot].state == TRANSACTION_QUEUED &&
		       engine->transaction[slot].flow == index);
	assert(pace_in_flight(&flow->pace.window) == count->in_flight);
	assert(flow->idle == (!count->queued && !count->in_flight));
	assert(flow->ready == may_write);
}

static void check_flows(const struct engine *engine, const struct recount *recount)
{
	const struct flow_table *table = &engine->flows;
	uint32_t idle = 0, ready = 0, listed = 0;

	for (uint32_t i = 0; i < table->used; i++) {
		check_flow(engine, i, &recount->flow[i]);
		idle += table->flow[i].idle;
		ready += table->flow[i].ready;
	}
	assert(list_length(&table->idle, LINKS(table->flow, link)) == idle);
	for (uint32_t i = 0; i < engine->config.agents; i++)
		if (engine->agent[i].incarnation)
			for (unsigned int many = 0; many < 2; many++)
				listed += list_length(&engine->agent[i].ready_flows[many],
						      LINKS(table->flow, link));
	assert(listed == ready);
}

/* Checks what an agent counts of the requests that the kernel holds. */
static void check_held(const struct engine *engine, const struct agent *agent,
		       const struct agent_recount *count)
{
	const struct held *held = &agent->held;
	uint32_t sum = 0, room = 0;

	if (!held->limit) {
		assert(!held->count && held->room == UINT32_MAX && !held->exempt);
		return;
	}
	for (uint32_t i = 0; i < agent->config.lane_count; i++) {
		const struct registration *registration = &held->registration[i];

		assert(registration->held == count->held[i] + registration->abandoned);
		assert(registration->held <= held->limit);
		for (uint32_t at = 0; at < registration->abandoned; at++)
			assert(held->abandoned[i * held->limit + at].ends_at >=
			       engine->abandoned_until);
		sum += registration->held;
		if (engine->lane[agent->config.lane[i].lane].open)
			room += held->limit - registration->held;
	}
	assert(held->count == sum && held->room == room);
	assert(held->exempt == count->exempt);
}

/* Checks the counts of each agent, and the lists that it stands on. */
static void check_agents(const struct engine *engine, struct recount *recount)
{
	uint32_t ready = 0, requested = 0;

	for (uint32_t i = 0; i < engine->config.agents; i++) {
		const struct agent *agent = &engine->agent[i];
		const struct agent_recount *count = &recount->agent[i];

		if (!agent->incarnation)
			continue;
		assert(agent->transactions == count->transactions);
		assert(agent->queued == count->queued);
		assert(pace_in_flight(&agent->pace.window) == count->in_flight);
		assert(agent->pace.window.placeless == count->overtaken);
		assert((agent->state == AGENT_FREE) <= !count->transactions);
		assert(agent->ready || !agent_has_ready_flow(agent) || agent->lost ||
		       !pace_admits(&agent->pace.window) || !agent->held.room);
		check_held(engine, agent, count);
		ready += agent->ready;
		requested += agent->inbox.count != 0;
		recount->requests += agent->inbox.count;
		recount->receivers +=
			agent->state == AGENT_OPEN && agent->inbox.entry && !agent->lost;
		for (uint32_t lane = 0; lane < agent->config.lane_count; lane++)
			recount->lane_full[agent->config.lane[lane].lane] += agent->inbox.full;
	}
	assert(list_length(&engine->ready_agents, LINKS(engine->agent, link)) == ready);
	assert(list_length(&engine->requested_agents, LINKS(engine->agent, inbox.link)) ==
	       requested);
	assert(engine->requests == recount->requests);
	assert(engine->receivers == recount->receivers);
}

static void check_transactions(const struct engine *engine, struct recount *recount)
{
	const struct list_links links = LINKS(engine->transaction, link);

	for (uint32_t slot = 0; slot < engine->config.transactions; slot++)
		count_transaction(recount, engine, slot);
	assert(engine->outstanding == recount->outstanding);
	assert(engine->in_flight == recount->in_flight);
	assert(engine->ended_count == recount->ended);
	assert(list_length(&engine->ended, links) == recount->ended);
	assert(list_length(&engine->aborts, links) == recount->aborting);
	assert(engine->stats.accepted == engine->stats.completed + engine->outstanding);
}

void engine_check(const struct engine *engine)
{
	struct recount recount = {
		.agent = calloc(engine->config.agents, sizeof(*recount.agent)),
		.flow = calloc(engine->config.flows, sizeof(*recount.flow)),
	};

	assert(recount.agent && recount.flow);
	check_transactions(engine, &recount);
	check_slots(engine);
	check_flows(engine, &recount);
	check_agents(engine, &recount);
	if (engine->rmpp)
		rmpp_check(engine->rmpp);
	for (uint32_t lane = 0; lane < engine->config.lanes; lane++) {
		assert(engine->lane[lane].in_flight == recount.lane_in_flight[lane]);
		assert(!engine->lane[lane].open ||
		       engine->lane[lane].full == recount.lane_full[lane]);
	}
	free(recount.agent);
	free(recount.flow);
}

#endif
