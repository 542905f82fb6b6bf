/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attempts that later ones have overtaken. When replies to what was sent later have come, an
 * attempt without a reply is lost, or waits at a slow node. Neither says anything of the way
 * there, which has room for another: so the attempt gives up its place in the agent's window, and
 * goes on waiting. Its flow's window still counts it, so that a slow node is not asked for more.
 * Only a retry gives that place up, too, while its node answers others, and any attempt to a dead
 * node: a request that is never answered must not delay others.
 */
#include "engine/overtaken.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/attempt.h"
#include "engine/engine_state.h"

int overtaken_open(const struct engine *engine, struct agent *agent)
{
	uint32_t most = agent->config.window;
	uint32_t room = 2;

	if (agent->config.pin_window)
		return 0;
	if (most > engine->config.transactions)
		most = engine->config.transactions;
	while (room < 2 * most)
		room *= 2;
	agent->sent.attempt = calloc(room, sizeof(*agent->sent.attempt));
	if (!agent->sent.attempt)
		return -ENOMEM;
	agent->sent.mask = room - 1;
	return 0;
}

void overtaken_close(struct agent *agent)
{
	free(agent->sent.attempt);
	agent->sent = (struct sent){ 0 };
}

static struct sent_attempt take_first(struct sent *sent)
{
	struct sent_attempt first = sent->attempt[sent->head];

	sent->head = (sent->head + 1) & sent->mask;
	sent->count--;
	return first;
}

/*
 * Tells whether an attempt is in flight and has its places. A TID alone is not enough: one that
 * was taken back is used again, also by another agent.
 */
static bool has_places(const struct engine *engine, const struct agent *agent,
		       const struct transaction *transaction, const struct sent_attempt *attempt)
{
	return transaction->state == TRANSACTION_FLYING && transaction->tid == attempt->tid &&
	       transaction->sent_at == attempt->at && &engine->agent[transaction->agent] == agent &&
	       !transaction->overtaken && !transaction->in_segments;
}

static struct transaction *transaction_of(const struct engine *engine,
					  const struct sent_attempt *attempt)
{
	return &engine->transaction[tid_slot(attempt->tid, engine->slot_bits)];
}

/*
 * Removes the entries of attempts that have ended. At least half of them have, because no more
 * attempts than the window have a place, and the ring has room for twice as many.
 */
static void forget_ended(const struct engine *engine, struct agent *agent)
{
	struct sent *sent = &agent->sent;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < sent->count; i++) {
		struct sent_attempt attempt = sent->attempt[(sent->head + i) & sent->mask];

		if (has_places(engine, agent, transaction_of(engine, &attempt), &attempt))
			sent->attempt[(sent->head + kept++) & sent->mask] = attempt;
	}
	sent->count = kept;
}

void overtaken_note(const struct engine *engine, struct agent *agent,
		    const struct transaction *transaction)
{
	struct sent *sent = &agent->sent;

	if (sent->count > sent->mask)
		forget_ended(engine, agent);
	assert(sent->count <= sent->mask);
	sent->attempt[(sent->head + sent->count++) & sent->mask] = (struct sent_attempt){
		.at = transaction->sent_at,
		.tid = transaction->tid,
	};
}

static void advance_agent(struct engine *engine, struct agent *agent, uint64_t heard)
{
	uint64_t before = pace_overtaken_before(&agent->pace, heard);
	struct sent *sent = &agent->sent;

	while (sent->count && sent->attempt[sent->head].at < before) {
		struct sent_attempt first = take_first(sent);
		struct transaction *transaction = transaction_of(engine, &first);

		if (has_places(engine, agent, transaction, &first) && !transaction->writing)
			attempt_overtake(engine, transaction, heard);
	}
}

void overtaken_advance(struct engine *engine, uint64_t heard)
{
	for (uint32_t i = 0; i < engine->agents_used; i++)
		if (engine->agent[i].sent.count)
			advance_agent(engine, &engine->agent[i], heard);
}

uint64_t overtaken_deadline(const struct engine *engine)
{
	uint64_t next = ENGINE_NEVER;

	for (uint32_t i = 0; i < engine->agents_used; i++) {
		const struct agent *agent = &engine->agent[i];
		uint64_t at;

		if (!agent->sent.count || !agent->queued || !agent_has_ready_flow(agent) ||
		    pace_admits(&agent->pace.window))
			continue;
		at = pace_overtaken_at(&agent->pace, agent->sent.attempt[agent->sent.head].at);
		if (at < next)
			next = at;
	}
	return next;
}
