/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transactions whose messages the engine's own RMPP (rmpp/rmpp.h) splits and joins, because their
 * agent has .user_rmpp: a long request, a long reply, or both.
 *
 * A long request is an attempt like any other, with one difference. Its timeout starts when all
 * of it is acknowledged; until then RMPP's own timeouts apply. A reply that begins stops the
 * timeout. If the reply breaks off, the timeout starts again, and the next attempt repeats the
 * request.
 *
 * Requests that arrive in segments go to the agent's inbox when they are complete.
 */
#include "engine/segments.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "engine/attempt.h"
#include "engine/engine_state.h"
#include "engine/inbox.h"
#include "engine/outcome.h"
#include "engine/queue.h"
#include "engine/reply.h"
#include "engine/segments_end.h"
#include "engine/timeout.h"

/*
 * The `user` of a request that is received has this bit, and the agent's number. All other values
 * of `user` are transactions' slots.
 */
#define USER_REQUEST (UINT64_C(1) << 32)

#define SEGMENT_TRIES  8u
#define SLOWEST_TRY_NS 1000000000u

int engine_rmpp_open(struct engine *engine, const struct rmpp_config *config)
{
	uint32_t count = engine->config.transactions;

	if (engine->rmpp)
		return 0;
	free(engine->segments); /* of an earlier call that failed */
	engine->segments = table_alloc(count, sizeof(*engine->segments));
	if (!engine->segments)
		return -ENOMEM;
	memset(engine->segments, 0, count * sizeof(*engine->segments));
	engine->rmpp_memory = config->memory;
	return rmpp_open(&engine->rmpp, config);
}

/*
 * Returns how often an unacknowledged segment is written. That does not depend on the request's
 * attempts. But a caller who fixed a long timeout for the reply waits as long for the ACKs.
 */
static unsigned int segment_tries(const struct engine *engine,
				  const struct transaction *transaction)
{
	uint64_t waits;

	if (!timeout_is_pinned(engine, transaction))
		return SEGMENT_TRIES;
	waits = timeout_longest(engine, transaction) / SLOWEST_TRY_NS;
	return waits < UINT_MAX - SEGMENT_TRIES ? SEGMENT_TRIES + (unsigned int)waits : UINT_MAX;
}

int segments_begin(struct engine *engine, struct transaction *transaction, uint64_t now)
{
	struct rmpp_message message = {
		.umad = transaction->request,
		.length = transaction->length,
		.lane = transaction->lane,
		.reply_ms = transaction->request->timeout_ms,
		.attempts = segment_tries(engine, transaction),
		.user = (uint64_t)(transaction - engine->transaction),
	};
	uint64_t id;
	int error = rmpp_send(engine->rmpp, &message, now, &id);

	if (error)
		return error;
	segments_of(engine, transaction)->send = id;
	transaction->in_segments = true;
	return 0;
}

static struct engine_write frame_write_of(const struct rmpp_frame *frame)
{
	return (struct engine_write){
		.umad = frame->umad,
		.bytes = frame->bytes,
		.lane = frame->lane,
		.id = { ENGINE_WRITE_SEGMENT, frame->slot },
	};
}

bool segments_next_write(struct engine *engine, uint64_t now, struct engine_write *write)
{
	struct rmpp_frame frame;

	if (!rmpp_next_frame(engine->rmpp, now, &frame))
		return false;
	*write = frame_write_of(&frame);
	return true;
}

struct engine_write segments_write_of(const struct engine *engine, uint32_t number)
{
	struct rmpp_frame frame = rmpp_frame_of(engine->rmpp, number);

	return frame_write_of(&frame);
}

bool engine_wants_segment(const struct engine *engine)
{
	return engine->rmpp && rmpp_wants_frame(engine->rmpp);
}

const struct rmpp_stats *engine_rmpp_stats(const struct engine *engine)
{
	static const struct rmpp_stats none;

	return engine->rmpp ? rmpp_stats(engine->rmpp) : &none;
}

static void finish_sent_message(struct engine *engine, struct transaction *transaction,
				const struct rmpp_outcome *outcome, uint64_t now)
{
	int status = outcome->status;
	uint32_t slot = (uint32_t)(transaction - engine->transaction);

	if (!status && !transaction->no_reply) {
		transaction->sent_at = now;
		if (transaction->attempts == 1)
			transaction->first_sent_at = now;
		attempt_wait(engine, slot, now);
		return;
	}
	transaction->rmpp_status = outcome->rmpp_status;
	attempt_end(engine, slot, status == -ETIMEDOUT ? ATTEMPT_LOST : ATTEMPT_WITHDRAWN);
	outcome_set(engine, slot, status);
}

/*
 * Ends an attempt whose reply has broken off. The request is repeated after the timeout, or ends.
 */
static void end_broken_reply(struct engine *engine, struct transaction *transaction,
			     const struct rmpp_outcome *outcome, uint64_t now)
{
	uint32_t slot = (uint32_t)(transaction - engine->transaction);

	segments_of(engine, transaction)->receive = 0;
	if (outcome->status == -ETIMEDOUT) {
		attempt_expire(engine, slot);
		return;
	}
	if (outcome->status != -EMSGSIZE && transaction->attempts < transaction->attempts_allowed) {
		attempt_wait(engine, slot, now);
		return;
	}
	transaction->rmpp_status = outcome->rmpp_status;
	attempt_end(engine, slot, outcome->status == -EMSGSIZE ? ATTEMPT_ANSWERED : ATTEMPT_LOST);
	outcome_set(engine, slot, outcome->status);
}

static void finish_received_reply(struct engine *engine, struct transaction *transaction,
				  const struct rmpp_outcome *outcome, uint64_t now)
{
	struct segments *segments = segments_of(engine, transaction);

	if (outcome->status) {
		end_broken_reply(engine, transaction, outcome, now);
		return;
	}
	segments->receive = 0;
	engine->stats.late_replies += segments->late;
	transaction->reply = outcome->message;
	transaction->received_at = now;
	transaction->reply_length = (uint32_t)outcome->length;
	reply_end(engine, transaction, 0);
}

static void take_received_request(struct engine *engine, const struct rmpp_outcome *outcome)
{
	struct agent *agent = &engine->agent[outcome->user & ~USER_REQUEST];
	const struct rmpp_memory *memory = &engine->rmpp_memory;
	struct engine_received request = {
		.umad = outcome->message,
		.length = outcome->length,
		.agent = (unsigned int)(agent - engine->agent),
	};

	if (outcome->status || inbox_put(engine, agent, &request))
		return;
	engine->stats.unsolicited++;
	memory->give(memory->context, outcome->message);
}

/*
 * Handles the outcomes of RMPP's messages. Canceled messages have none, so each outcome belongs
 * to an attempt in flight or to an open agent.
 */
static void take_outcomes(struct engine *engine, uint64_t now)
{
	struct rmpp_outcome outcome;

	while (rmpp_next_outcome(engine->rmpp, &outcome)) {
		struct transaction *transaction = &engine->transaction[(uint32_t)outcome.user];

		if (outcome.user & USER_REQUEST)
			take_received_request(engine, &outcome);
		else if (outcome.sent)
			finish_sent_message(engine, transaction, &outcome, now);
		else
			finish_received_reply(engine, transaction, &outcome, now);
	}
}

void segments_write_done(struct engine *engine, uint32_t number, int error, uint64_t now)
{
	rmpp_frame_done(engine->rmpp, number, error, now);
	take_outcomes(engine, now);
}

void segments_advance(struct engine *engine, uint64_t now)
{
	rmpp_advance(engine->rmpp, now);
	take_outcomes(engine, now);
}

static bool is_response(const struct ib_user_mad *umad)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;

	return header->method & MADRING_RESPONSE_BIT;
}

static void begin_reply(struct engine *engine, struct transaction *transaction, unsigned int lane,
			uint32_t age, uint64_t id, uint64_t now)
{
	struct segments *segments = segments_of(engine, transaction);

	/* A node that replies has the whole request, even if its last ACK is still missing. */
	rmpp_forget(engine->rmpp, segments->send);
	*segments = (struct segments){ .receive = id, .late = age != 0 };
	attempt_resume(engine, (uint32_t)(transaction - engine->transaction), lane);
	transaction->in_segments = true;
	transaction->deadline = WHEEL_NEVER;
	attempt_measure(engine, transaction, age, now);
	queue_update(engine, transaction->flow);
}

/*
 * Returns the transaction whose reply begins with @arrival, or NULL. RMPP refuses the message for
 * good if its transaction has ended or already receives the reply to another attempt. It ignores
 * the message for now if the attempt's write is being canceled, or is under way on another lane.
 */
static struct transaction *find_replied(struct engine *engine, struct rmpp_arrival *arrival,
					uint32_t *age)
{
	const struct madring_mad_hdr *header = (const void *)arrival->umad->data;
	struct transaction *transaction =
		reply_find(engine, arrival->lane, arrival->umad, header, age);

	arrival->unwanted = !transaction || segments_of(engine, transaction)->receive;
	if (arrival->unwanted || transaction->expired ||
	    (transaction->writing && transaction->lane != arrival->lane))
		return NULL;
	arrival->accept = true;
	arrival->user = (uint64_t)(transaction - engine->transaction);
	return transaction;
}

bool segments_receive(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad,
		      size_t bytes, uint64_t now)
{
	const struct agent *agent = agent_of(engine, lane, umad->agent_id);
	struct rmpp_arrival arrival = { .lane = lane, .umad = umad, .bytes = bytes };
	struct transaction *transaction = NULL;
	uint32_t age = 0;
	uint64_t id;

	if (!agent || !agent->config.user_rmpp || !rmpp_takes(umad->data, bytes - sizeof(*umad)))
		return false;
	if (is_response(umad)) {
		transaction = find_replied(engine, &arrival, &age);
	} else {
		arrival.accept = agent->inbox.entry && inbox_takes_class(agent, umad);
		arrival.user = USER_REQUEST | (uint64_t)(agent - engine->agent);
	}
	switch (rmpp_input(engine->rmpp, &arrival, now, &id)) {
	case RMPP_STARTED:
		if (transaction)
			begin_reply(engine, transaction, lane, age, id, now);
		break;
	case RMPP_MALFORMED:
		engine->stats.malformed++;
		break;
	case RMPP_STRAY:
	case RMPP_DISMISSED:
		engine->stats.unmatched++;
		break;
	default:
		break;
	}
	take_outcomes(engine, now);
	return true;
}
