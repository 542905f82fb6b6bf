/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives MADs: finds the transaction by the TID alone, then compares what a reply repeats. */
#include "engine/engine_state.h"

#include <errno.h>

#include "base/mad_class.h"
#include "engine/route.h"
#include "rmpp/format.h"

#define CACHE_LINE 64u

/* A round trip is no sample if more than this part of it may be the driver's lateness. */
#define LATE_PART 8u

/* In baseboard management a bit of the attribute modifier makes a Send a response (IBA 16.2). */
static bool is_baseboard_response(const struct madring_mad_hdr *header)
{
	return header->mgmt_class == MAD_CLASS_BASEBOARD &&
	       header->attr_mod & htobe32(BASEBOARD_RESPONSE);
}

static bool is_response(const struct madring_mad_hdr *header)
{
	return (header->method & MADRING_RESPONSE_BIT) || header->method == MADRING_TRAP_REPRESS ||
	       is_baseboard_response(header);
}

/* Tells whether an agent has a kernel agent besides its first one on a lane. */
static __attribute__((noinline)) bool is_other_registration(const struct engine *engine,
							    const struct transaction *transaction,
							    unsigned int lane, uint32_t agent_id)
{
	return agent_id < LANE_AGENTS && engine->lane[lane].owner[agent_id] == transaction->agent;
}

/*
 * Returns the transaction of which an attempt had the TID of @umad, if it still waits for its
 * reply on this lane, or NULL. Stores how many attempts have begun since that one in @age.
 */
static inline struct transaction *transaction_of(const struct engine *engine, unsigned int lane,
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
	if (__builtin_expect(engine->agent[transaction->agent].agent_id[lane] != umad->agent_id,
			     0) &&
	    !is_other_registration(engine, transaction, lane, umad->agent_id))
		return NULL;
	return transaction;
}

/*
 * Tells whether a MAD has the fields of the request that replies and the kernel's notices repeat.
 */
static bool repeats_request(const struct transaction *transaction,
			    const struct madring_mad_hdr *header)
{
	return header->mgmt_class == transaction->mgmt_class &&
	       header->attr_id == transaction->attr_id &&
	       (header->attr_mod == transaction->attr_mod ||
		(is_baseboard_response(header) &&
		 header->attr_mod == (transaction->attr_mod | htobe32(BASEBOARD_RESPONSE))));
}

/*
 * Tells whether a reply comes from another LID of the port that was asked. With an LMC a port has
 * several, and a program that responds by libibumad without path bits does so from the first. A
 * subnet manager gives the same LMC to all ports, but for switches. The kernel compares no source
 * of a reply. The source is compared here, because a node that responds for others redirects.
 */
static __attribute__((noinline)) bool is_lid_of_same_port(const struct engine *engine,
							  const struct transaction *transaction,
							  const struct ib_user_mad *umad)
{
	unsigned int difference = be16toh(umad->addr.lid ^ transaction->lid);

	return !(difference >> engine->agent[transaction->agent].config.lmc);
}

/*
 * Tells whether a MAD repeats all of the request that a reply must repeat. A TID alone can be
 * forged, or come from an earlier use of the slot.
 */
static inline bool is_reply_to(const struct engine *engine, const struct transaction *transaction,
			       const struct ib_user_mad *umad, const struct madring_mad_hdr *header)
{
	if (!repeats_request(transaction, header))
		return false;
	if (transaction->lid && umad->addr.lid != transaction->lid &&
	    !is_lid_of_same_port(engine, transaction, umad))
		return false;
	return !transaction->directed || route_is_same(transaction->request->data, umad->data);
}

static void measure_round_trip(struct engine *engine, struct transaction *transaction, uint32_t age,
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

static inline void end_answered(struct engine *engine, struct transaction *transaction, int status)
{
	uint32_t slot = (uint32_t)(transaction - engine->transaction);
	struct pace_flow *flow = &engine->flows.flow[transaction->flow].pace;

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
	outcome_set(engine, slot, status);
}

static enum engine_receive take_reply(struct engine *engine, struct transaction *transaction,
				      struct ib_user_mad *umad, size_t bytes, uint64_t now)
{
	transaction->reply = umad;
	transaction->received_at = now;
	transaction->reply_length = (uint32_t)(bytes - sizeof(*umad));
	end_answered(engine, transaction, 0);
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
	struct transaction *transaction = transaction_of(engine, lane, umad, &age);

	engine->stats.notices++;
	if (transaction && transaction->state == TRANSACTION_FLYING && !age &&
	    !transaction->expired && !transaction->in_segments && !is_response(header) &&
	    repeats_request(transaction, header))
		attempt_expire(engine, (uint32_t)(transaction - engine->transaction));
	return ENGINE_NOTICE;
}

bool receive_is_of_class(const struct agent *agent, const struct ib_user_mad *umad)
{
	const struct madring_mad_hdr *header = (const void *)umad->data;
	uint8_t expected = agent->config.mgmt_class;

	return !expected || header->mgmt_class == expected ||
	       (mad_class_of(header->mgmt_class)->is_smp && mad_class_of(expected)->is_smp);
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

	if (!agent || !agent->inbox.entry || !receive_is_of_class(agent, umad)) {
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
	if (is_response(header) == !umad->status)
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

/* Returns the transaction that a response answers, or NULL; @age is as in transaction_of(). */
static inline struct transaction *replied_to(const struct engine *engine, unsigned int lane,
					     const struct ib_user_mad *umad,
					     const struct madring_mad_hdr *header, uint32_t *age)
{
	struct transaction *transaction = transaction_of(engine, lane, umad, age);

	return transaction && is_reply_to(engine, transaction, umad, header) ? transaction : NULL;
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

/* segments.c calls the next three. Plain MADs use the inline functions above, without a call. */

struct transaction *receive_transaction(const struct engine *engine, unsigned int lane,
					const struct ib_user_mad *umad,
					const struct madring_mad_hdr *header, uint32_t *age)
{
	return replied_to(engine, lane, umad, header, age);
}

void receive_measure(struct engine *engine, struct transaction *transaction, uint32_t age,
		     uint64_t now)
{
	measure_round_trip(engine, transaction, age, now);
	queue_update(engine, transaction->flow);
}

void receive_answered(struct engine *engine, struct transaction *transaction, int status)
{
	end_answered(engine, transaction, status);
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
	if (!is_response(header) || header->status & htobe16(MAD_STATUS_MASK) ||
	    rmpp_header_is_active(umad->data, MADRING_MAD_BYTES))
		return false;
	/* RMPP also refuses versions that it does not know. */
	if (engine->rmpp && rmpp_takes(umad->data, MADRING_MAD_BYTES))
		return false;
	transaction = replied_to(engine, lane, umad, header, &age);
	if (!transaction || age || transaction->state != TRANSACTION_FLYING)
		return false;
	measure_round_trip(engine, transaction, 0, now);
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
	if (is_response(&header) == !umad->status)
		held_take_back(engine, lane, umad);
	if (umad->status)
		return take_notice(engine, lane, umad);
	if (engine->rmpp && segments_receive(engine, lane, umad, bytes, now))
		return ENGINE_SEGMENT;
	if (bytes < sizeof(*umad) + MADRING_MAD_BYTES &&
	    !can_be_short(engine, lane, umad, bytes - sizeof(*umad)))
		return count_as(&stats->malformed, ENGINE_MALFORMED);
	if (!is_response(&header))
		return take_request(engine, lane, umad, bytes, 0);
	transaction = replied_to(engine, lane, umad, &header, &age);
	if (!transaction)
		return count_as(&stats->unmatched, ENGINE_UNMATCHED);
	if (defer_reply(engine, transaction, umad, bytes - sizeof(*umad), age))
		return ENGINE_DEFERRED;
	if (age || transaction->state == TRANSACTION_QUEUED) {
		stats->late_replies++;
		pace_found(&engine->agent[transaction->agent].pace);
	}
	measure_round_trip(engine, transaction, age, now);
	if (is_part_of_message(engine, transaction, umad->data, bytes - sizeof(*umad))) {
		end_answered(engine, transaction, -EPROTOTYPE);
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
	if (!is_response(header))
		return take_request(engine, lane, umad, bytes, -EMSGSIZE);
	held_take_back(engine, lane, umad);
	transaction = replied_to(engine, lane, umad, header, &age);
	if (!transaction)
		return count_as(&stats->unmatched, ENGINE_UNMATCHED);
	end_answered(engine, transaction, -EMSGSIZE);
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
