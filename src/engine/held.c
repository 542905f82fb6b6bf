/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The requests that the kernel holds: those that it has on the wire or waits to put there. Since
 * Linux 6.17 it puts only some requests of a registration on the wire at once, and the others wait
 * behind them, dead nodes or not. There their timeouts and round trips would mean nothing. So the
 * engine writes no more than the kernel puts on the wire, and the others wait in their flows.
 *
 * The kernel holds a request until its reply comes or its timeout ends, of which it sends a
 * notice. What the program writes itself by an adopted agent is not seen here, so it is not
 * counted. Then the kernel may hold some requests that it does not put on the wire yet, and their
 * attempts wait for longer. The kernel cannot be told to drop a request, so it also holds attempts
 * that the engine has given up. A notice may get lost. So an abandoned attempt also ends some time
 * after the kernel's timeout.
 */
#include "engine/held.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "engine/engine_state.h"
#include "engine/queue.h"

#define NS_PER_MS UINT64_C(1000000)

/* The least time after the kernel's timeout until it has certainly dropped a request. */
#define LATENESS_NS (100 * NS_PER_MS)

int held_open(struct engine *engine, struct agent *agent)
{
	const struct engine_agent_config *config = &agent->config;
	struct held *held = &agent->held;

	held->room = UINT32_MAX;
	if (!config->kernel_limit)
		return 0;
	held->abandoned =
		calloc((size_t)config->lane_count * config->kernel_limit, sizeof(*held->abandoned));
	if (!held->abandoned)
		return -ENOMEM;
	held->limit = config->kernel_limit;
	held->room = 0;
	for (unsigned int i = 0; i < config->lane_count; i++) {
		assert(config->lane[i].agent_id < LANE_AGENTS);
		if (engine->lane[config->lane[i].lane].open)
			held->room += held->limit;
	}
	return 0;
}

void held_close(struct agent *agent)
{
	free(agent->held.abandoned);
	agent->held = (struct held){ .room = UINT32_MAX };
}

static void forget_registration(struct held *held, struct registration *registration)
{
	held->room -= held->limit - registration->held;
	held->count -= registration->held;
	*registration = (struct registration){ 0 };
}

void held_forget_lane(struct engine *engine, unsigned int lane)
{
	for (uint32_t i = 0; i < engine->config.agents; i++) {
		struct agent *agent = &engine->agent[i];

		for (uint32_t at = 0; agent->held.limit && at < agent->config.lane_count; at++)
			if (agent->config.lane[at].lane == lane)
				forget_registration(&agent->held, &agent->held.registration[at]);
	}
}

/* Tells whether abandoned attempts take a quarter of a registration's limit. */
static bool is_crowded(const struct held *held, uint32_t index)
{
	return held->registration[index].abandoned >= (held->limit + 3) / 4;
}

/* Returns the shortest timeout that the kernel is told, in ms. It lasts until the next attempt. */
static uint32_t short_timeout_ms(uint64_t timeout)
{
	uint64_t ms = 2 * (timeout / NS_PER_MS + 2);

	return ms < INT_MAX ? (uint32_t)ms : INT_MAX;
}

void held_count(struct agent *agent, uint32_t index, struct transaction *transaction,
		uint64_t timeout)
{
	struct held *held = &agent->held;

	assert(!transaction->is_held && held->room && held->registration[index].held < held->limit);
	if (timeout != ENGINE_NEVER && is_crowded(held, index))
		transaction->request->timeout_ms = short_timeout_ms(timeout);
	transaction->is_held = true;
	held->registration[index].held++;
	held->count++;
	held->room--;
}

/* Makes room for one more request by a registration. */
static void make_room(struct engine *engine, struct agent *agent, uint32_t index)
{
	assert(agent->held.registration[index].held && agent->held.count);
	agent->held.registration[index].held--;
	agent->held.count--;
	if (!agent->held.room++)
		queue_update_agent(engine, agent);
}

/*
 * Ends the count of a transaction's attempt. Returns false if its registration has ended, with
 * all that the kernel held for it.
 */
static bool end_attempt(const struct engine *engine, const struct agent *agent,
			struct transaction *transaction)
{
	assert(transaction->is_held);
	transaction->is_held = false;
	return agent->held.limit && engine->lane[transaction->lane].open;
}

static uint32_t registration_of(const struct engine *engine, const struct transaction *transaction)
{
	return engine->lane[transaction->lane].registration[transaction->request->agent_id];
}

void held_drop(struct engine *engine, struct transaction *transaction)
{
	struct agent *agent = &engine->agent[transaction->agent];

	if (end_attempt(engine, agent, transaction))
		make_room(engine, agent, registration_of(engine, transaction));
}

/* Returns a time by which all writes that were reported have been made, in ns. */
static uint64_t latest_time(const struct engine *engine)
{
	return engine->now > engine->heard ? engine->now : engine->heard;
}

/* Returns when the kernel has certainly dropped an attempt that it had taken by @sent_at, in ns. */
static uint64_t end_of_attempt(const struct ib_user_mad *umad, uint64_t sent_at)
{
	uint64_t timeout = umad->timeout_ms * NS_PER_MS;
	uint64_t attempts = UINT64_C(1) + umad->retries;

	/* A negative timeout is none. */
	if ((int32_t)umad->timeout_ms <= 0 || timeout > (ENGINE_NEVER / 4 - sent_at) / attempts)
		return ENGINE_NEVER;
	return sent_at + timeout * attempts + timeout * attempts / 8 + LATENESS_NS;
}

void held_abandon(struct engine *engine, struct transaction *transaction)
{
	struct agent *agent = &engine->agent[transaction->agent];
	struct abandoned *abandoned;
	uint32_t index;

	if (!end_attempt(engine, agent, transaction))
		return;
	index = registration_of(engine, transaction);
	assert(agent->held.registration[index].abandoned < agent->held.registration[index].held);
	abandoned = &agent->held.abandoned[(size_t)index * agent->held.limit +
					   agent->held.registration[index].abandoned++];
	abandoned->ends_at = end_of_attempt(transaction->request, latest_time(engine));
	abandoned->tid = transaction->tid;
	if (abandoned->ends_at < engine->abandoned_until)
		engine->abandoned_until = abandoned->ends_at;
}

/* Removes an abandoned attempt of a registration; the last one takes its place. */
static void remove_abandoned(struct engine *engine, struct agent *agent, uint32_t index,
			     struct abandoned *abandoned)
{
	struct registration *registration = &agent->held.registration[index];

	registration->abandoned--;
	*abandoned =
		agent->held.abandoned[(size_t)index * agent->held.limit + registration->abandoned];
	make_room(engine, agent, index);
}

static void take_back_abandoned(struct engine *engine, struct agent *agent, uint32_t index,
				uint32_t tid)
{
	struct abandoned *first = &agent->held.abandoned[(size_t)index * agent->held.limit];

	for (uint32_t i = 0; i < agent->held.registration[index].abandoned; i++)
		if (first[i].tid == tid) {
			remove_abandoned(engine, agent, index, &first[i]);
			return;
		}
}

void held_take_back(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad)
{
	struct agent *agent = agent_of(engine, lane, umad->agent_id);
	uint32_t tid = tid_read(umad->data);
	uint32_t slot = tid_slot(tid, engine->slot_bits);
	struct transaction *transaction;

	if (!agent || !agent->held.limit || slot >= engine->config.transactions || !tid_is_own(tid))
		return;
	transaction = &engine->transaction[slot];
	if (transaction->is_held && transaction->tid == tid && transaction->lane == lane &&
	    &engine->agent[transaction->agent] == agent &&
	    transaction->request->agent_id == umad->agent_id)
		held_drop(engine, transaction);
	else
		take_back_abandoned(engine, agent, engine->lane[lane].registration[umad->agent_id],
				    tid);
}

/* Removes a registration's abandoned attempts that end by @now. Returns when the next one ends. */
static uint64_t expire_abandoned(struct engine *engine, struct agent *agent, uint32_t index,
				 uint64_t now)
{
	struct abandoned *first = &agent->held.abandoned[(size_t)index * agent->held.limit];
	uint64_t next = ENGINE_NEVER;

	for (uint32_t i = agent->held.registration[index].abandoned; i--;) {
		if (first[i].ends_at <= now)
			remove_abandoned(engine, agent, index, &first[i]);
		else if (first[i].ends_at < next)
			next = first[i].ends_at;
	}
	return next;
}

void held_advance(struct engine *engine, uint64_t now)
{
	uint64_t until = ENGINE_NEVER;

	for (uint32_t i = 0; i < engine->config.agents; i++) {
		struct agent *agent = &engine->agent[i];

		for (uint32_t at = 0; agent->held.limit && at < agent->config.lane_count; at++) {
			uint64_t next = expire_abandoned(engine, agent, at, now);

			if (next < until)
				until = next;
		}
	}
	engine->abandoned_until = until;
}

uint64_t held_deadline(const struct engine *engine)
{
	if (engine->abandoned_until == ENGINE_NEVER)
		return ENGINE_NEVER;
	for (uint32_t i = 0; i < engine->config.agents; i++)
		if (!engine->agent[i].held.room && engine->agent[i].queued)
			return engine->abandoned_until;
	return ENGINE_NEVER;
}
