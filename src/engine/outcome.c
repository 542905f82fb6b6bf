/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a transaction: it is counted, listed as ended, and completed. Each ends exactly
 * once.
 */
#include "engine/outcome.h"

#include <errno.h>

#include "engine/abort.h"
#include "engine/engine_state.h"

/* Counts the end of a transaction by its status. */
static void count_outcome(struct engine_stats *stats, const struct transaction *transaction)
{
	switch (transaction->status) {
	case 0:
		stats->replies += transaction->reply != NULL;
		break;
	case -ETIMEDOUT:
		stats->timed_out++;
		break;
	case -ECANCELED:
		stats->canceled++;
		break;
	case -ENODEV:
		stats->device_gone++;
		break;
	case -EMSGSIZE:
	case -EPROTOTYPE:
		stats->too_long++;
		break;
	default:
		stats->send_failed++;
	}
}

void outcome_ready(struct engine *engine, uint32_t slot)
{
	assert(engine->transaction[slot].state == TRANSACTION_ENDED &&
	       !engine->transaction[slot].writing);
	list_append(&engine->ended, LINKS(engine->transaction, link), slot);
	engine->ended_count++;
}

void outcome_set(struct engine *engine, uint32_t slot, int status)
{
	struct transaction *transaction = &engine->transaction[slot];

	assert(transaction->state == TRANSACTION_QUEUED ||
	       transaction->state == TRANSACTION_FLYING);
	transaction->state = TRANSACTION_ENDED;
	transaction->status = status;
	count_outcome(&engine->stats, transaction);
	if (!transaction->writing)
		outcome_ready(engine, slot);
	else
		abort_add(engine, slot);
}

static void give_back_slot(struct engine *engine, uint32_t slot)
{
	uint64_t at = (uint64_t)engine->free_head + engine->free_count;

	if (at >= engine->config.transactions)
		at -= engine->config.transactions;
	engine->free_slot[at] = slot;
	engine->free_count++;
}

static void leave_agent(struct engine *engine, uint16_t number)
{
	struct agent *agent = &engine->agent[number];

	agent->transactions--;
	if (agent->state == AGENT_CLOSING && !agent->transactions)
		agent->state = AGENT_FREE;
}

bool engine_next_completion(struct engine *engine, struct engine_completion *completion)
{
	uint32_t slot = list_take_first(&engine->ended, LINKS(engine->transaction, link));
	struct transaction *transaction;

	if (slot == SLOT_NONE)
		return false;
	transaction = &engine->transaction[slot];
	*completion = (struct engine_completion){
		.id = transaction->serial << engine->slot_bits | slot,
		.callback = transaction->callback,
		.user = transaction->user,
		.status = transaction->status,
		.agent = transaction->agent,
		.request = transaction->request,
		.reply = transaction->reply,
		.length = transaction->reply_length,
		.attempts = transaction->attempts,
		.rtt_ns = transaction->rtt_ns,
		.received_at = transaction->reply ? transaction->received_at : 0,
		.rmpp_status = transaction->rmpp_status,
	};
	engine->ended_count--;
	/* The caller may send the MAD again, and is to have another TID for it then. */
	if (transaction->no_reply && transaction->has_own_tid)
		tid_write(transaction->request->data, 0);
	transaction->state = TRANSACTION_FREE;
	give_back_slot(engine, slot);
	leave_agent(engine, completion->agent);
	engine->outstanding--;
	engine->stats.completed++;
	return true;
}
