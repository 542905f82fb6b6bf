/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes: which attempt is next and on which lane, its headers, and what the end of a write
 * means.
 */
#include <errno.h>
#include <limits.h>

#include "engine/abort.h"
#include "engine/attempt.h"
#include "engine/engine_state.h"
#include "engine/held.h"
#include "engine/outcome.h"
#include "engine/overtaken.h"
#include "engine/queue.h"
#include "engine/segments.h"
#include "engine/timeout.h"

#define NS_PER_MS 1000000u

#define SEGMENT_RETRIES 3

/* The most refusals of one request's writes. Their pauses add up to one second of default ticks. */
#define MOST_REFUSALS 10u

/*
 * The number of writes that an agent makes to one lane before it chooses again. At each write the
 * kernel walks all unanswered requests of the lane's file. Requests that were written in a row
 * lie side by side in its memory, where that walk costs a fraction of what it otherwise would.
 */
#define LANE_RUN 64u
/*
 * With few requests in flight those lists are short, and a run is at most this part of the requests
 * in flight. Requests on several lanes do not wait for each other where lanes are served in turn.
 */
#define RUN_PART 16u

/* Returns a lane's load. Paused lanes come after all others; closed lanes are never chosen. */
static uint64_t lane_load(const struct lane *lane)
{
	if (!lane->open)
		return UINT64_MAX;
	return lane->in_flight + (lane_is_paused(lane) ? UINT64_C(1) << 32 : 0);
}

/*
 * Returns the index of the registration whose lane has the least load. One is on an open lane,
 * because the agent is not lost, and has room, because the queue has let the transaction go.
 */
static uint32_t lane_with_most_room(const struct engine *engine, const struct agent *agent,
				    const struct transaction *transaction)
{
	uint64_t least = UINT64_MAX;
	uint32_t best = 0;

	for (uint32_t i = 0; i < agent->config.lane_count; i++) {
		uint64_t load = lane_load(&engine->lane[agent->config.lane[i].lane]);

		if (load == UINT64_MAX || !held_has_room(&agent->held, i, transaction))
			continue;
		load += agent->held.registration[i].abandoned;
		if (load < least) {
			least = load;
			best = i;
		}
	}
	return best;
}

static bool can_continue_run(const struct engine *engine, const struct agent *agent,
			     const struct transaction *transaction)
{
	const struct lane *lane = &engine->lane[agent->config.lane[agent->run_lane].lane];

	return agent->run_left && lane->open && !lane_is_paused(lane) &&
	       held_has_room(&agent->held, agent->run_lane, transaction);
}

/* Returns how many writes go to one lane in a row: no more than the kernel puts on the wire. */
static uint32_t longest_run(const struct engine *engine, const struct agent *agent)
{
	uint32_t run = engine_in_flight(engine) / RUN_PART;

	run = run < LANE_RUN ? run : LANE_RUN;
	if (agent->held.limit && agent->held.limit < run)
		run = agent->held.limit;
	return run ? run : 1;
}

/* Returns the index of the registration for the next attempt. */
static uint32_t take_next_lane(const struct engine *engine, struct agent *agent,
			       const struct transaction *transaction)
{
	if (!can_continue_run(engine, agent, transaction)) {
		agent->run_lane = lane_with_most_room(engine, agent, transaction);
		agent->run_left = longest_run(engine, agent);
	}
	agent->run_left--;
	return agent->run_lane;
}

/*
 * Returns the timeout that the kernel is told, in ms. It is longer than the engine's: the kernel
 * must still accept a reply when the attempt's end was put off, or the next attempt has begun.
 * With 0 the kernel would drop the reply.
 */
static uint32_t kernel_timeout_ms(const struct engine *engine,
				  const struct transaction *transaction, uint64_t timeout)
{
	unsigned int twice = transaction->attempts < transaction->attempts_allowed;
	uint64_t longest = timeout_longest(engine, transaction) >> twice;
	uint64_t ms;

	if (transaction->no_reply)
		return 0;
	if (timeout == ENGINE_NEVER)
		return UINT32_MAX; /* -1: for ever */
	ms = ((timeout > longest ? timeout : longest) / NS_PER_MS + 2) << twice;
	return ms < INT_MAX ? (uint32_t)ms : INT_MAX;
}

/*
 * Returns how often the kernel repeats an unanswered write. The engine retries requests itself.
 * The kernel repeats only segments that are not acknowledged in time, until all are.
 */
static uint32_t segment_retries(const struct transaction *transaction)
{
	return transaction->segmented ? SEGMENT_RETRIES : 0;
}

static void write_umad_header(const struct transaction *transaction, uint32_t agent_id,
			      uint32_t timeout_ms)
{
	struct ib_user_mad *umad = transaction->request;

	umad->agent_id = agent_id;
	umad->status = 0;
	if (!transaction->by_kernel) {
		umad->timeout_ms = timeout_ms;
		umad->retries = segment_retries(transaction);
	}
	umad->length = (uint32_t)(sizeof(*umad) + transaction->length);
	if (transaction->has_own_tid)
		tid_write(umad->data, transaction->tid);
}

static struct engine_write whole_write_of(const struct engine *engine, uint32_t slot)
{
	const struct transaction *transaction = &engine->transaction[slot];

	return (struct engine_write){
		.umad = transaction->request,
		.bytes = sizeof(struct ib_user_mad) + transaction->length,
		.lane = transaction->lane,
		.id = { ENGINE_WRITE_WHOLE, slot },
		.no_reply = transaction->no_reply,
	};
}

struct engine_write engine_write_of(const struct engine *engine, struct engine_write_id id)
{
	if (id.kind == ENGINE_WRITE_SEGMENT)
		return segments_write_of(engine, id.number);
	return whole_write_of(engine, id.number);
}

static bool is_segmented_by_engine(const struct engine *engine,
				   const struct transaction *transaction)
{
	return transaction->segmented && engine->agent[transaction->agent].config.user_rmpp;
}

/* Begins an attempt: chooses its lane, gives it a TID of its own and fills in the umad header. */
static void begin_attempt(struct engine *engine, struct transaction *transaction, uint64_t now)
{
	struct agent *agent = &engine->agent[transaction->agent];
	uint32_t index = take_next_lane(engine, agent, transaction);
	uint64_t timeout = ENGINE_NEVER;

	transaction->state = TRANSACTION_FLYING;
	transaction->overtaken = false;
	transaction->released = false;
	transaction->counted_lost = false;
	transaction->lane = (uint8_t)agent->config.lane[index].lane;
	transaction->attempts++;
	/* The kernel's retries all have one TID, so no round trip can be measured. */
	transaction->sent_at = transaction->by_kernel ? 0 : now;
	if (transaction->attempts == 1)
		transaction->first_sent_at = transaction->sent_at;
	if (transaction->has_own_tid)
		transaction->tid = tid_next(transaction->tid, engine->slot_bits);
	if (!transaction->no_reply) {
		timeout = timeout_of(engine, transaction);
		if (!is_segmented_by_engine(engine, transaction))
			timeout_arm(engine, (uint32_t)(transaction - engine->transaction), now,
				    timeout);
	}
	write_umad_header(transaction, agent->config.lane[index].agent_id,
			  kernel_timeout_ms(engine, transaction, timeout));
	if (held_is_limited(&agent->held) && !held_is_exempt(transaction))
		held_count(agent, index, transaction, timeout);
	attempt_count_in_flight(engine, transaction);
	if (agent->sent.attempt && !transaction->no_reply && transaction->sent_at)
		overtaken_note(engine, agent, transaction);
	if (transaction->attempts > 1)
		engine->stats.retried++;
}

/*
 * Sends an attempt in segments. If RMPP cannot begin it now, the attempt is made again a tick
 * later.
 */
static void write_in_segments(struct engine *engine, uint32_t slot, uint64_t now)
{
	int error = segments_begin(engine, &engine->transaction[slot], now);

	if (error == -EAGAIN) {
		attempt_postpone(engine, slot, now, 1);
	} else if (error) {
		attempt_end(engine, slot, ATTEMPT_WITHDRAWN);
		outcome_set(engine, slot, error);
	}
}

/*
 * Begins an attempt and describes its write. Returns false if RMPP writes the attempt, or
 * postponed it.
 */
static bool begin_write(struct engine *engine, uint32_t slot, uint64_t now,
			struct engine_write *write)
{
	struct transaction *transaction = &engine->transaction[slot];

	begin_attempt(engine, transaction, now);
	if (is_segmented_by_engine(engine, transaction)) {
		write_in_segments(engine, slot, now);
		return false;
	}
	transaction->writing = true;
	*write = whole_write_of(engine, slot);
	return true;
}

bool engine_next_write(struct engine *engine, uint64_t now, struct engine_write *write)
{
	uint32_t slot;

	note_time(engine, now);
	if (engine->rmpp && segments_next_write(engine, now, write))
		return true;
	while ((slot = queue_next(engine)) != SLOT_NONE)
		if (begin_write(engine, slot, now, write))
			return true;
	return engine->rmpp && segments_next_write(engine, now, write);
}

/* Returns the longest pause after the next refusal, in ticks. */
static uint64_t longest_pause(const struct transaction *transaction)
{
	return UINT64_C(1) << transaction->refusals;
}

/* Tells whether all pauses so far, and one more, take less than the attempt's timeout. */
static bool has_time_for_pause(const struct engine *engine, const struct transaction *transaction)
{
	return transaction->no_reply ||
	       2 * longest_pause(transaction) - 1 <=
		       timeout_shortest(engine, transaction) / engine->config.tick_ns;
}

/*
 * Tells whether a failed write is made again later. With -ENOMEM or -ENOBUFS the kernel is short
 * of memory for now. With -EINVAL the kernel refuses a MAD without a reply while it still sends
 * another MAD of the same TID. That may be RMPP's ACK before a response, or another request of a
 * caller who gave both one TID. The kernel reports a write before it has sent the MAD, and does
 * not report the sending.
 */
static bool is_refused_for_now(const struct engine *engine, const struct transaction *transaction,
			       int error)
{
	if (transaction->refusals == MOST_REFUSALS)
		return false;
	if (error == -EINVAL)
		return transaction->no_reply;
	return (error == -ENOMEM || error == -ENOBUFS) && has_time_for_pause(engine, transaction);
}

/*
 * Postpones a refused write. Pauses grow and are jittered, so that writes that were refused
 * together are not made together again.
 */
static void postpone_refused(struct engine *engine, uint32_t slot, uint64_t now)
{
	struct transaction *transaction = &engine->transaction[slot];
	uint64_t longest = longest_pause(transaction);
	uint64_t ticks = longest - timeout_random(engine) % (longest / 2 + 1);

	transaction->refusals++;
	attempt_postpone(engine, slot, now, ticks);
}

static void end_write(struct engine *engine, uint32_t slot, int error, uint64_t now)
{
	struct transaction *transaction = &engine->transaction[slot];

	if (transaction->expired) {
		attempt_lost(engine, slot);
	} else if (error == -EAGAIN) {
		attempt_postpone(engine, slot, now, 1);
	} else if (error && is_refused_for_now(engine, transaction, error)) {
		postpone_refused(engine, slot, now);
	} else if (error || transaction->no_reply) {
		/* The device has taken a MAD without a reply: there is nothing more to wait for. */
		attempt_end(engine, slot, error ? ATTEMPT_WITHDRAWN : ATTEMPT_ANSWERED);
		outcome_set(engine, slot, error);
	}
}

/* Records what the end of a write means for what the kernel holds. */
static void end_held_write(struct engine *engine, struct transaction *transaction, int error)
{
	if (error)
		held_drop(engine, transaction);
	else if (transaction->state == TRANSACTION_ENDED)
		held_abandon(engine, transaction);
}

static void whole_write_done(struct engine *engine, uint32_t slot, int error, uint64_t now)
{
	struct transaction *transaction = &engine->transaction[slot];

	assert(slot < engine->config.transactions && transaction->writing);
	transaction->writing = false;
	abort_remove(engine, slot);
	transaction->abort_asked = false;
	if (transaction->is_held)
		end_held_write(engine, transaction, error);
	if (transaction->state == TRANSACTION_ENDED)
		outcome_ready(engine, slot);
	else
		end_write(engine, slot, error, now);
}

void engine_write_done(struct engine *engine, struct engine_write_id id, int error, uint64_t now)
{
	note_time(engine, now);
	if (!error)
		engine->stats.sent++;
	if (id.kind == ENGINE_WRITE_SEGMENT)
		segments_write_done(engine, id.number, error, now);
	else
		whole_write_done(engine, id.number, error, now);
}

void engine_forget_writes(struct engine *engine, uint64_t now)
{
	for (uint32_t slot = 0; slot < engine->config.transactions; slot++)
		if (engine->transaction[slot].writing)
			whole_write_done(engine, slot, -ECANCELED, now);
}
