/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives MADs: finds the transaction by the TID alone, then compares what a reply repeats. */
#include <errno.h>

#include "base/mad_class.h"
#include "engine/attempt.h"
#include "engine/defer.h"
#include "engine/engine_state.h"
#include "engine/held.h"
#include "engine/inbox.h"
#include "engine/outcome.h"
#include "engine/queue.h"
#include "engine/reply.h"
#include "engine/route.h"
#include "engine/segments.h"
#include "rmpp/format.h"

#define CACHE_LINE 64u

static enum engine_receive take_reply(struct engine *engine, struct transaction *transaction,
				      struct ib_user_mad *umad, size_t bytes, uint64_t now)
{
	transaction->reply = umad;
	transaction->received_at = now;
	transaction->reply_length = (uint32_t)(bytes - sizeof(*umad));
	reply_end(engine, transaction, 0);
	return ENGINE_REPLY;
}

/*
 * Takes the kernel's notice of a timeout, which ends the attempt in flight. Two other kinds of
 * notices are only counted. One is for a response that the kernel sends in segments; its TID is
 * another node's. The other is for what the kernel still has of a request that the engine
 * segments.
 */
static enum engine_receive take_notice(struct engine *engine, unsigned int lane,
				       const struct ib_user_mad *umad)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;
	uint32_t age;
	struct transaction *transaction = reply_transaction_of(engine, lane, umad, &age);

	engine->stats.notices++;
	if (transaction && transaction->state == TRANSACTION_FLYING && !age &&
	    !transaction->expired && !transaction->in_segments && !reply_is_response(header) &&
	    reply_repeats_request(transaction, header))
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

	if (!agent || !agent->inbox.entry || !inbox_takes_class(agent, umad)) {
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
 * Tells whether a MAD on a lane that the program shares belongs to the program. A MAD for a
 * kernel agent of the program does. The program may also send through one of our agents; its
 * replies and notices lack TID_OWN. Any other MAD concerns a request from the network. It is ours
 * if our agent receives requests, or if our RMPP awaits it.
 */
static bool belongs_to_program(struct engine *engine, unsigned int lane,
			       const struct ib_user_mad *umad, size_t bytes)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;
	const struct agent *agent = agent_of(engine, lane, umad->agent_id);

	if (!agent)
		return true;
	if (reply_is_response(header) == !umad->status)
		return !tid_is_own(tid_read(umad->data));
	if (agent->config.user_rmpp && rmpp_awaits(engine->rmpp, lane, umad, bytes))
		return false;
	return !agent->inbox.entry;
}

static enum engine_receive take_for_program(struct engine *engine, unsigned int lane,
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

/*
 * Tells whether a MAD may have less than 256 bytes. Large MADs (base version 0x80) may be cut to
 * their contents; RMPP messages have any length.
 */
static bool can_be_short(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad,
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

/*
 * Tells whether a reply is only a part of a message in segments, or an RMPP STOP or ABORT. An
 * agent without RMPP receives no more of that message.
 */
static bool is_part_of_message(const struct engine *engine, const struct transaction *transaction,
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

/*
 * Takes the common reply: a whole MAD of at least 256 bytes that answers the attempt in flight.
 * It is not BUSY, no redirect and no segment. Nearly every MAD is one. Returns false, without any
 * change, if the MAD is something else.
 */
static inline bool take_common_reply(struct engine *engine, unsigned int lane,
				     struct ib_user_mad *umad, size_t bytes, uint64_t now)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;
	struct transaction *transaction;
	uint32_t age;

	if (bytes < sizeof(*umad) + MADRING_MAD_BYTES || umad->status ||
	    engine->lane[lane].others != AGENT_NONE)
		return false;
	if (!reply_is_response(header) || header->status & htobe16(MAD_STATUS_MASK) ||
	    rmpp_header_is_active(umad->data, MADRING_MAD_BYTES))
		return false;
	/* RMPP also refuses versions that it does not know. */
	if (engine->rmpp && rmpp_takes(umad->data, MADRING_MAD_BYTES))
		return false;
	transaction = reply_find(engine, lane, umad, header, &age);
	if (!transaction || age || transaction->state != TRANSACTION_FLYING)
		return false;
	attempt_measure(engine, transaction, 0, now);
	/* While an attempt is postponed, a reply with its TID is to the attempt before. */
	if (transaction->is_held || !transaction->sent_at)
		held_take_back(engine, lane, umad);
	take_reply(engine, transaction, umad, bytes, now);
	return true;
}

/*
 * Takes any other MAD: malformed, for the program's own agents, a notice, a segment, a request,
 * late, unmatched, BUSY, or a redirect.
 */
static enum engine_receive receive_special(struct engine *engine, unsigned int lane,
					   struct ib_user_mad *umad, size_t bytes, uint64_t now)
{
	struct engine_stats *stats = &engine->stats;
	struct madring_mad_hdr header;
	struct transaction *transaction;
	uint32_t age;

	if (bytes < sizeof(*umad) + sizeof(header))
		return count_as(&stats->malformed, ENGINE_MALFORMED);
	if (engine->lane[lane].others != AGENT_NONE &&
	    belongs_to_program(engine, lane, umad, bytes))
		return take_for_program(engine, lane, umad, bytes, 0);
	memcpy(&header, umad->data, sizeof(header));
	/* The kernel gives back a request, or a response to one. */
	if (reply_is_response(&header) == !umad->status)
		held_take_back(engine, lane, umad);
	if (umad->status)
		return take_notice(engine, lane, umad);
	if (engine->rmpp && segments_receive(engine, lane, umad, bytes, now))
		return ENGINE_SEGMENT;
	if (bytes < sizeof(*umad) + MADRING_MAD_BYTES &&
	    !can_be_short(engine, lane, umad, bytes - sizeof(*umad)))
		return count_as(&stats->malformed, ENGINE_MALFORMED);
	if (!reply_is_response(&header))
		return take_request(engine, lane, umad, bytes, 0);
	transaction = reply_find(engine, lane, umad, &header, &age);
	if (!transaction)
		return count_as(&stats->unmatched, ENGINE_UNMATCHED);
	if (defer_reply(engine, transaction, umad, bytes - sizeof(*umad), age))
		return ENGINE_DEFERRED;
	if (age || transaction->state == TRANSACTION_QUEUED)
		attempt_find(engine, transaction);
	attempt_measure(engine, transaction, age, now);
	if (is_part_of_message(engine, transaction, umad->data, bytes - sizeof(*umad))) {
		reply_end(engine, transaction, -EPROTOTYPE);
		return ENGINE_TOO_LONG;
	}
	return take_reply(engine, transaction, umad, bytes, now);
}

static inline void prefetch_bytes(const void *from, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += CACHE_LINE)
		__builtin_prefetch((const char *)from + at, 1);
}

/*
 * Prefetches the flows and the requests of the transactions that engine_prefetch() has prefetched.
 * All flows come first, because the request is not touched before the MAD is handed out.
 */
static void prefetch_announced(struct engine *engine)
{
	for (uint32_t i = 0; i < engine->announced_count; i++) {
		uint32_t flow = engine->transaction[engine->announced[i]].flow;

		prefetch_bytes(&engine->flows.flow[flow], sizeof(struct flow));
	}
	for (uint32_t i = 0; i < engine->announced_count; i++) {
		const struct transaction *transaction = &engine->transaction[engine->announced[i]];

		if (transaction->state == TRANSACTION_FREE)
			continue;
		prefetch_bytes(transaction->request,
			       sizeof(struct ib_user_mad) + sizeof(struct madring_mad_hdr));
		if (transaction->directed)
			__builtin_prefetch(transaction->request->data + SMP_INITIAL_PATH);
	}
	engine->announced_count = 0;
}

void engine_late(struct engine *engine, uint64_t late_ns)
{
	engine->late_ns = late_ns;
}

enum engine_receive engine_receive(struct engine *engine, unsigned int lane,
				   struct ib_user_mad *umad, size_t bytes, uint64_t now)
{
	assert(lane < engine->config.lanes);
	note_time(engine, now);
	engine->stats.received++;
	if (engine->announced_count)
		prefetch_announced(engine);
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
	if (engine->lane[lane].others != AGENT_NONE &&
	    belongs_to_program(engine, lane, umad, bytes))
		return take_for_program(engine, lane, umad, bytes, -EMSGSIZE);
	if (!reply_is_response(header))
		return take_request(engine, lane, umad, bytes, -EMSGSIZE);
	held_take_back(engine, lane, umad);
	transaction = reply_find(engine, lane, umad, header, &age);
	if (!transaction)
		return count_as(&stats->unmatched, ENGINE_UNMATCHED);
	reply_end(engine, transaction, -EMSGSIZE);
	return ENGINE_TOO_LONG;
}

void engine_prefetch(struct engine *engine, const struct ib_user_mad *umad)
{
	uint32_t slot = tid_slot(tid_read(umad->data), engine->slot_bits);

	if (slot >= engine->config.transactions)
		return;
	if (engine->announced_count == MOST_ANNOUNCED)
		prefetch_announced(engine);
	engine->announced[engine->announced_count++] = slot;
	prefetch_bytes(&engine->transaction[slot], sizeof(struct transaction));
}
