/* SPDX-License-Identifier: BSD-2-Clause */
/* What was read: whose reply it is, by its TID alone, and whether it can be that at all. */
#include "engine/engine_state.h"

#include <errno.h>

#include "engine/route.h"
#include "rmpp/format.h"

#define STATUS_WITHOUT_DIRECTION 0x7fffu /* of an SMP's status; bit 15 is its direction */

static bool is_response(const struct madring_mad_hdr *header)
{
	return (header->method & MADRING_RESPONSE_BIT) || header->method == MADRING_TRAP_REPRESS;
}

/*
 * The transaction that waits, or waited in vain so far, for an attempt of this TID on this
 * lane; NULL. @age: how many attempts ago that was.
 */
static struct transaction *transaction_of(const struct engine *engine, unsigned int lane,
					  const struct ib_user_mad *umad, uint32_t *age)
{
	uint32_t tid = tid_read(umad->data);
	uint32_t slot = tid_slot(tid, engine->slot_bits);
	struct transaction *transaction;

	if (slot >= engine->config.transactions || !tid_is_own(tid))
		return NULL;
	transaction = &engine->transaction[slot];
	if (transaction->state != TRANSACTION_QUEUED && transaction->state != TRANSACTION_FLYING)
		return NULL;
	*age = tid_age(transaction->tid, tid, engine->slot_bits);
	if (transaction->no_reply || *age >= transaction->attempts)
		return NULL;
	if (engine->agent[transaction->agent].agent_id[lane] != umad->agent_id)
		return NULL;
	return transaction;
}

/* What a reply, and the kernel's notice, have of the request. */
static bool repeats(const struct transaction *transaction, const struct madring_mad_hdr *header)
{
	return header->mgmt_class == transaction->mgmt_class &&
	       header->attr_id == transaction->attr_id && header->attr_mod == transaction->attr_mod;
}

/* A TID alone can be forged, or be from before: all that a reply repeats of its request must
   be as it was. */
static inline bool is_reply_to(const struct transaction *transaction,
			       const struct ib_user_mad *umad, const struct madring_mad_hdr *header)
{
	if (!repeats(transaction, header))
		return false;
	if (transaction->lid && umad->addr.lid != transaction->lid)
		return false;
	return !transaction->directed || route_is_same(transaction->request->data, umad->data);
}

static void measure(struct engine *engine, struct transaction *transaction, uint32_t age,
		    uint64_t now)
{
	uint64_t sent_at = 0;

	/* Karn's rule asks which attempt was answered; the TID tells. */
	if (!age)
		sent_at = transaction->sent_at;
	else if (age + 1u == transaction->attempts)
		sent_at = transaction->first_sent_at;
	if (!sent_at)
		return;
	transaction->rtt_ns = now - sent_at;
	pace_measured(&engine->agent[transaction->agent].pace,
		      &engine->flows.flow[transaction->flow].pace, transaction->rtt_ns);
	rtt_histogram_add(&engine->stats.rtt, transaction->rtt_ns);
}

/* `settle_segments_and_doubts` is apart from answered(), because few transactions have either. */
static void settle_segments_and_doubts(struct engine *engine, struct transaction *transaction)
{
	if (transaction->in_segments)
		segments_answered(engine, transaction);
	attempt_count_losses(engine, transaction);
}

static inline void answered(struct engine *engine, struct transaction *transaction, int status)
{
	uint32_t slot = (uint32_t)(transaction - engine->transaction);

	if (transaction->in_segments || transaction->doubts)
		settle_segments_and_doubts(engine, transaction);
	if (transaction->state == TRANSACTION_QUEUED)
		queue_remove(engine, slot);
	else
		attempt_end(engine, slot, ATTEMPT_ANSWERED);
	outcome_set(engine, slot, status);
}

static enum engine_receive take_reply(struct engine *engine, struct transaction *transaction,
				      struct ib_user_mad *umad, size_t bytes)
{
	transaction->reply = umad;
	transaction->reply_length = (uint32_t)(bytes - sizeof(*umad));
	answered(engine, transaction, 0);
	return ENGINE_REPLY;
}

/*
 * A response that the kernel sends in segments may time out, too; its TID is another's. And where
 * the engine makes the segments, writes that were to let replies through are left over.
 */
static enum engine_receive take_notice(struct engine *engine, unsigned int lane,
				       const struct ib_user_mad *umad)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;
	uint32_t age;
	struct transaction *transaction = transaction_of(engine, lane, umad, &age);

	engine->stats.notices++;
	if (transaction && transaction->state == TRANSACTION_FLYING && !age &&
	    !transaction->expired && !transaction->in_segments && !is_response(header) &&
	    repeats(transaction, header))
		attempt_expire(engine, (uint32_t)(transaction - engine->transaction));
	return ENGINE_NOTICE;
}

static enum engine_receive take_request(struct engine *engine, unsigned int lane,
					struct ib_user_mad *umad, size_t bytes, int status)
{
	struct agent *agent = agent_of(engine, lane, umad->agent_id);
	struct engine_received received = {
		.umad = umad,
		.length = bytes - sizeof(*umad),
		.status = status,
	};

	if (!agent || !agent->inbox.entry) {
		engine->stats.unsolicited++;
		return ENGINE_UNSOLICITED;
	}
	received.agent = (unsigned int)(agent - engine->agent);
	if (inbox_put(engine, agent, &received))
		return ENGINE_REQUEST;
	engine->stats.unsolicited++;
	return ENGINE_UNSOLICITED;
}

/*
 * Whether what was read on a lane that others share is theirs. It is theirs if its agent is. By an
 * agent of the engine's they may have sent, too: the answer to a request, and the notice that there
 * is none, are told by the TID. All else is about what others ask for: who receives the requests,
 * answers them; and if the engine does so in segments, it is told of these.
 */
static bool is_others(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad,
		      size_t bytes)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;
	const struct agent *agent = agent_of(engine, lane, umad->agent_id);

	if (!agent)
		return true;
	if (is_response(header) == !umad->status)
		return !tid_is_own(tid_read(umad->data));
	if (agent->config.user_rmpp && rmpp_awaits(engine->rmpp, lane, umad, bytes))
		return false;
	return !agent->inbox.entry;
}

static enum engine_receive take_others(struct engine *engine, unsigned int lane,
				       struct ib_user_mad *umad, size_t bytes, int status)
{
	struct engine_received received = {
		.umad = umad,
		.length = bytes - sizeof(*umad),
		.status = status,
		.agent = engine->lane[lane].others,
	};

	if (inbox_put(engine, &engine->agent[received.agent], &received))
		return ENGINE_REQUEST;
	engine->stats.unsolicited++;
	return ENGINE_UNSOLICITED;
}

static enum engine_receive count_as(uint64_t *counter, enum engine_receive what)
{
	(*counter)++;
	return what;
}

/* Large MADs (base version 0x80) may be cut to what they hold; messages of RMPP have the length
   that they have. */
static bool may_be_short(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad,
			 size_t length)
{
	const struct agent *agent = agent_of(engine, lane, umad->agent_id);
	const struct madring_mad_hdr *header = (const void *)umad->data;

	if (route_is_directed(umad->data, MADRING_MAD_BYTES))
		return false;
	if (header->base_version != 1)
		return true;
	return agent && agent->config.rmpp && rmpp_header_is_active(umad->data, length);
}

/* The transaction that a response is the reply to; NULL. */
static inline struct transaction *replied_to(const struct engine *engine, unsigned int lane,
					     const struct ib_user_mad *umad,
					     const struct madring_mad_hdr *header, uint32_t *age)
{
	struct transaction *transaction = transaction_of(engine, lane, umad, age);

	return transaction && is_reply_to(transaction, umad, header) ? transaction : NULL;
}

/*
 * `is_part` tells whether a reply is only a part of a message in segments, or an RMPP STOP or
 * ABORT. An agent without RMPP gets no more of the message.
 */
static bool is_part(const struct engine *engine, const struct transaction *transaction,
		    const uint8_t *mad, size_t length)
{
	const struct engine_agent_config *config = &engine->agent[transaction->agent].config;
	struct rmpp_header header;

	if (!rmpp_header_is_active(mad, length) || config->rmpp || config->user_rmpp ||
	    !rmpp_data_offset(transaction->mgmt_class))
		return false;
	header = rmpp_header_read(mad);
	return header.type != RMPP_DATA || header.segment != 1 || !(header.flags & RMPP_LAST);
}

/* For messages in segments; those above are for plain MADs, which have no call to spare. */

struct transaction *receive_transaction(const struct engine *engine, unsigned int lane,
					const struct ib_user_mad *umad,
					const struct madring_mad_hdr *header, uint32_t *age)
{
	return replied_to(engine, lane, umad, header, age);
}

void receive_measure(struct engine *engine, struct transaction *transaction, uint32_t age,
		     uint64_t now)
{
	measure(engine, transaction, age, now);
}

void receive_answered(struct engine *engine, struct transaction *transaction, int status)
{
	answered(engine, transaction, status);
}

/*
 * `take_common_reply` takes a whole MAD of 256 bytes or more that answers the attempt in flight,
 * and nothing else: it puts nothing off, and is no part of a message in segments. Nearly all that
 * is read is that. Returns false, and has changed nothing, if it is anything else.
 */
static inline bool take_common_reply(struct engine *engine, unsigned int lane,
				     struct ib_user_mad *umad, size_t bytes, uint64_t now)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;
	struct transaction *transaction;
	uint32_t age;

	if (bytes < sizeof(*umad) + MADRING_MAD_BYTES || umad->status ||
	    engine->lane[lane].others != AGENT_NONE || engine->rmpp)
		return false;
	if (!is_response(header) || header->status & htobe16(STATUS_WITHOUT_DIRECTION) ||
	    rmpp_header_is_active(umad->data, MADRING_MAD_BYTES))
		return false;
	transaction = replied_to(engine, lane, umad, header, &age);
	if (!transaction || age || transaction->state != TRANSACTION_FLYING)
		return false;
	measure(engine, transaction, 0, now);
	take_reply(engine, transaction, umad, bytes);
	return true;
}

/* `receive_special` takes what is not the common reply: cut off, others', a notice, a segment, a
   request, late, nobody's, BUSY, or redirected. */
static enum engine_receive receive_special(struct engine *engine, unsigned int lane,
					   struct ib_user_mad *umad, size_t bytes, uint64_t now)
{
	struct engine_stats *stats = &engine->stats;
	struct madring_mad_hdr header;
	struct transaction *transaction;
	uint32_t age;

	if (bytes < sizeof(*umad) + sizeof(header))
		return count_as(&stats->malformed, ENGINE_MALFORMED);
	if (engine->lane[lane].others != AGENT_NONE && is_others(engine, lane, umad, bytes))
		return take_others(engine, lane, umad, bytes, 0);
	if (umad->status)
		return take_notice(engine, lane, umad);
	if (engine->rmpp && segments_receive(engine, lane, umad, bytes, now))
		return ENGINE_SEGMENT;
	memcpy(&header, umad->data, sizeof(header));
	if (bytes < sizeof(*umad) + MADRING_MAD_BYTES &&
	    !may_be_short(engine, lane, umad, bytes - sizeof(*umad)))
		return count_as(&stats->malformed, ENGINE_MALFORMED);
	if (!is_response(&header))
		return take_request(engine, lane, umad, bytes, 0);
	transaction = replied_to(engine, lane, umad, &header, &age);
	if (!transaction)
		return count_as(&stats->unmatched, ENGINE_UNMATCHED);
	if (defer_reply(engine, transaction, umad, bytes - sizeof(*umad), age))
		return ENGINE_DEFERRED;
	if (age || transaction->state == TRANSACTION_QUEUED)
		stats->late_replies++;
	measure(engine, transaction, age, now);
	if (is_part(engine, transaction, umad->data, bytes - sizeof(*umad))) {
		answered(engine, transaction, -EPROTOTYPE);
		return ENGINE_TOO_LONG;
	}
	return take_reply(engine, transaction, umad, bytes);
}

enum engine_receive engine_receive(struct engine *engine, unsigned int lane,
				   struct ib_user_mad *umad, size_t bytes, uint64_t now)
{
	assert(lane < engine->config.lanes);
	note_time(engine, now);
	engine->stats.received++;
	if (__builtin_expect(take_common_reply(engine, lane, umad, bytes, now), 1))
		return ENGINE_REPLY;
	return receive_special(engine, lane, umad, bytes, now);
}

enum engine_receive engine_receive_cut(struct engine *engine, unsigned int lane,
				       struct ib_user_mad *umad, size_t bytes)
{
	struct engine_stats *stats = &engine->stats;
	const struct madring_mad_hdr *header = (const void *)umad->data;
	struct transaction *transaction;
	uint32_t age;

	assert(lane < engine->config.lanes);
	stats->received++;
	if (bytes < sizeof(*umad) + MADRING_MAD_BYTES || umad->status)
		return count_as(&stats->malformed, ENGINE_MALFORMED);
	if (engine->lane[lane].others != AGENT_NONE && is_others(engine, lane, umad, bytes))
		return take_others(engine, lane, umad, bytes, -EMSGSIZE);
	if (!is_response(header))
		return take_request(engine, lane, umad, bytes, -EMSGSIZE);
	transaction = replied_to(engine, lane, umad, header, &age);
	if (!transaction)
		return count_as(&stats->unmatched, ENGINE_UNMATCHED);
	answered(engine, transaction, -EMSGSIZE);
	return ENGINE_TOO_LONG;
}

void engine_prefetch(const struct engine *engine, const struct ib_user_mad *umad)
{
	uint32_t slot = tid_slot(tid_read(umad->data), engine->slot_bits);

	if (slot >= engine->config.transactions)
		return;
	__builtin_prefetch(&engine->transaction[slot]);
	__builtin_prefetch((const char *)&engine->transaction[slot] + 64);
}
