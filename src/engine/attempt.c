/* SPDX-License-Identifier: BSD-2-Clause */
/* The attempt in flight: its place in the windows, and its end with a reply or without one. */
#include "engine/attempt.h"

#include <errno.h>

#include "engine/abort.h"
#include "engine/held.h"
#include "engine/outcome.h"
#include "engine/queue.h"
#include "engine/route.h"
#include "engine/segments_end.h"
#include "engine/timeout.h"

/* A round trip is no sample if more than this part of it may be the driver's lateness. */
#define LATE_PART 8u

static struct pace_agent *agent_pace_of(struct engine *engine,
					const struct transaction *transaction)
{
	return &engine->agent[transaction->agent].pace;
}

static struct pace_flow *flow_pace_of(struct engine *engine, const struct transaction *transaction)
{
	return &engine->flows.flow[transaction->flow].pace;
}

/* Describes the current attempt to the pace. The kernel's retries are some, too. */
static struct pace_attempt pace_attempt_of(const struct transaction *transaction)
{
	return (struct pace_attempt){
		.sent_at = transaction->sent_at,
		.is_retry = transaction->by_kernel || transaction->attempts - transaction->redirects > 1,
		.place = {
			.overtaken = transaction->overtaken,
			.released = transaction->released,
			.is_counted_lost = transaction->counted_lost,
		},
	};
}

/* Ends an attempt without a reply. */
static void count_silent_attempt(struct engine *engine, struct transaction *transaction)
{
	struct pace_attempt attempt = pace_attempt_of(transaction);
	struct pace_flow *flow = flow_pace_of(engine, transaction);

	/* Attempts that the device or a BUSY node has refused have no time of sending. */
	if (!transaction->sent_at && !transaction->by_kernel) {
		pace_flow_lost(flow, 1);
		return;
	}
	if (!attempt.sent_at)
		attempt.sent_at = engine->now;
	pace_unanswered(agent_pace_of(engine, transaction), flow, &attempt);
}

/* Takes an attempt out of flight. The caller has to call queue_update() for its flow. */
static void take_out_of_flight(struct engine *engine, uint32_t slot, enum attempt_end how)
{
	struct transaction *transaction = &engine->transaction[slot];

	assert(transaction->state == TRANSACTION_FLYING);
	if (transaction->in_segments)
		segments_drop(engine, transaction);
	if (transaction->is_held && !transaction->writing)
		held_abandon(engine, transaction);
	transaction->deadline = WHEEL_NEVER;
	transaction->expired = false;
	engine->lane[transaction->lane].in_flight--;
	engine->in_flight--;
	pace_ended(agent_pace_of(engine, transaction), flow_pace_of(engine, transaction),
		   (struct pace_place){ transaction->overtaken, transaction->released, false });
	if (how == ATTEMPT_ANSWERED)
		pace_answered(flow_pace_of(engine, transaction));
	else if (how == ATTEMPT_LOST)
		count_silent_attempt(engine, transaction);
}

void attempt_end(struct engine *engine, uint32_t slot, enum attempt_end how)
{
	take_out_of_flight(engine, slot, how);
	queue_update(engine, engine->transaction[slot].flow);
}

void attempt_answered(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct pace_flow *flow = flow_pace_of(engine, transaction);

	if (transaction->in_segments)
		segments_answered(engine, transaction);
	if (transaction->attempts > transaction->redirects + 1u)
		pace_flow_lost(flow, transaction->attempts - transaction->redirects - 1u);
	if (transaction->state == TRANSACTION_QUEUED) {
		pace_answered(flow);
		queue_remove(engine, slot);
	} else {
		attempt_end(engine, slot, ATTEMPT_ANSWERED);
	}
}

void attempt_lost(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];

	if (transaction->attempts < transaction->attempts_allowed &&
	    !timeout_has_ended(engine, transaction, engine->heard)) {
		/*
		 * attempt_end() would be wrong here: a flow with nothing in flight and nothing
		 * queued becomes idle.
		 */
		take_out_of_flight(engine, slot, ATTEMPT_LOST);
		queue_retry(engine, slot);
		return;
	}
	attempt_end(engine, slot, ATTEMPT_LOST);
	outcome_set(engine, slot, -ETIMEDOUT);
}

void attempt_expire(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];

	assert(transaction->state == TRANSACTION_FLYING && !transaction->expired);
	transaction->deadline = WHEEL_NEVER;
	if (!transaction->writing) {
		attempt_lost(engine, slot);
		return;
	}
	transaction->expired = true;
	abort_add(engine, slot);
}

void attempt_postpone(struct engine *engine, uint32_t slot, uint64_t now, uint64_t ticks)
{
	struct transaction *transaction = &engine->transaction[slot];

	assert(transaction->state == TRANSACTION_FLYING && transaction->attempts);
	if (transaction->attempts > 1)
		engine->stats.retried--;
	transaction->attempts--;
	transaction->sent_at = 0;
	if (transaction->has_own_tid)
		transaction->tid = tid_previous(transaction->tid, engine->slot_bits);
	timeout_arm_at(engine, slot, now / engine->config.tick_ns + ticks);
}

/*
 * Puts a queued transaction in flight again, because its reply has begun. The windows may exceed
 * their size by it.
 */
static void put_in_flight_again(struct engine *engine, uint32_t slot)
{
	struct transaction *transaction = &engine->transaction[slot];

	pace_sent(agent_pace_of(engine, transaction), flow_pace_of(engine, transaction));
	transaction->overtaken = false;
	transaction->released = false;
	queue_remove(engine, slot);
	transaction->state = TRANSACTION_FLYING;
	attempt_count_in_flight(engine, transaction);
}

void attempt_resume(struct engine *engine, uint32_t slot, unsigned int lane)
{
	struct transaction *transaction = &engine->transaction[slot];

	if (transaction->is_held && transaction->lane != lane)
		held_abandon(engine, transaction);
	if (transaction->state == TRANSACTION_FLYING)
		engine->lane[transaction->lane].in_flight--;
	transaction->lane = (uint8_t)lane;
	if (transaction->state == TRANSACTION_FLYING)
		engine->lane[lane].in_flight++;
	else
		put_in_flight_again(engine, slot);
}

void attempt_wait(struct engine *engine, uint32_t slot, uint64_t now)
{
	timeout_arm(engine, slot, now, timeout_of(engine, &engine->transaction[slot]));
}

void attempt_measure(struct engine *engine, struct transaction *transaction, uint32_t age,
		     uint64_t now)
{
	uint64_t sent_at = 0;

	/* Karn's rule discards ambiguous samples. These are not: each attempt has its own TID. */
	if (!age)
		sent_at = transaction->sent_at;
	else if (age + 1u == transaction->attempts)
		sent_at = transaction->first_sent_at;
	if (!sent_at)
		return;
	transaction->rtt_ns = now - sent_at;
	if (engine->late_ns > transaction->rtt_ns / LATE_PART)
		pace_heard_late(&engine->agent[transaction->agent].pace, sent_at, now);
	else
		pace_measured(&engine->agent[transaction->agent].pace,
			      &engine->flows.flow[transaction->flow].pace,
			      transaction->directed ? route_hops(transaction->request->data)
						    : PACE_BY_LID,
			      transaction->rtt_ns, now);
	rtt_histogram_add(&engine->stats.rtt, transaction->rtt_ns);
}

void attempt_find(struct engine *engine, const struct transaction *transaction)
{
	engine->stats.late_replies++;
	pace_found(agent_pace_of(engine, transaction));
}

void attempt_overtake(struct engine *engine, struct transaction *transaction, uint64_t heard)
{
	const struct agent *agent = &engine->agent[transaction->agent];
	const struct flow *flow = &engine->flows.flow[transaction->flow];
	struct pace_attempt attempt = pace_attempt_of(transaction);
	struct pace_place place =
		pace_overtake(agent_pace_of(engine, transaction), flow_pace_of(engine, transaction),
			      &attempt, timeout_is_dead(agent, flow, heard), heard);

	transaction->overtaken = place.overtaken;
	transaction->released = place.released;
	transaction->counted_lost = place.is_counted_lost;
	queue_update(engine, transaction->flow);
}
