/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replies that put the answer off (IBA 13.4.7): the node is busy, and the request is made again
 * when this attempt's time is up, as if it had been lost; or another node has what was asked for
 * (13.5.2), and the request goes there at once.
 */
#include "engine/engine_state.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mad_class.h"

#define STATUS_BUSY	0x0001
#define STATUS_REDIRECT 0x0002

/* As many as any real service takes; nodes that redirect in a circle are not followed for ever. */
#define MOST_REDIRECTS 4

/* Where the ClassPortInfo of a redirect has the other's address (IBA 13.4.8.1). */
#define REDIRECT_GID	 8
#define REDIRECT_TC	 24
#define REDIRECT_SL_FLOW 24 /* with the traffic class above them: 8, 4 and 20 bits */
#define REDIRECT_LID	 28
#define REDIRECT_PKEY	 30
#define REDIRECT_QP	 32
#define REDIRECT_QKEY	 36
#define REDIRECT_END	 40

#define MULTICAST_LID 0xc000 /* the first */
#define PKEY_VALUE    0x7fff /* without the bit of membership */

/* The index of a P_Key, of the same membership if there is one; -1: the port has it not. Without
   a table, or without a P_Key, it is @otherwise. */
static int pkey_index(const struct engine_agent_config *config, uint16_t pkey, uint16_t otherwise)
{
	int index = -1;

	if (!config->pkey_count || !(pkey & PKEY_VALUE))
		return otherwise;
	for (unsigned int i = 0; i < config->pkey_count; i++) {
		if (config->pkeys[i] == pkey)
			return (int)i;
		if (index < 0 && (config->pkeys[i] & PKEY_VALUE) == (pkey & PKEY_VALUE))
			index = (int)i;
	}
	return index;
}

/*
 * The address that @info, the ClassPortInfo of a redirect, leads to, changed from what it is
 * now. False when it cannot be followed: it is a GID that has to be resolved, nonsense, or the
 * same address again.
 */
static bool address_of(const uint8_t *info, const struct engine_agent_config *config,
		       const struct ib_mad_addr *from, struct ib_mad_addr *to)
{
	static const uint8_t no_gid[sizeof(to->gid)];
	uint32_t sl_flow = read_be32(info + REDIRECT_SL_FLOW);
	uint32_t qpn = read_be32(info + REDIRECT_QP) & 0xffffff;
	uint16_t lid = read_be16(info + REDIRECT_LID);
	int pkey = pkey_index(config, read_be16(info + REDIRECT_PKEY), from->pkey_index);

	if (!lid || lid >= MULTICAST_LID || !qpn || pkey < 0)
		return false;
	*to = *from;
	to->lid = htobe16(lid);
	to->qpn = htobe32(qpn);
	to->qkey = htobe32(read_be32(info + REDIRECT_QKEY));
	to->sl = sl_flow >> 20 & 0xf;
	to->pkey_index = (uint16_t)pkey;
	if (from->grh_present) {
		if (!memcmp(info + REDIRECT_GID, no_gid, sizeof(no_gid)))
			return false;
		memcpy(to->gid, info + REDIRECT_GID, sizeof(to->gid));
		to->traffic_class = info[REDIRECT_TC];
		to->flow_label = htobe32(sl_flow & 0xfffff);
	}
	return memcmp(to, from, sizeof(*to)) != 0;
}

/* The request waits, first of all, to be sent to @address. */
static void send_to(struct engine *engine, uint32_t slot, const struct ib_mad_addr *address)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct agent *agent = &engine->agent[transaction->agent];
	uint64_t key;

	attempt_count_losses(engine, transaction);
	if (transaction->state == TRANSACTION_QUEUED)
		queue_remove(engine, slot);
	else
		attempt_end(engine, slot, ATTEMPT_ANSWERED);
	transaction->request->addr = *address;
	transaction->lid = send_source_lid(transaction->request, false);
	transaction->redirects++;
	transaction->redirected_after = transaction->attempts;
	if (transaction->attempts_allowed < UINT8_MAX)
		transaction->attempts_allowed++;
	/* The caller's own flow is what it was, but may just have become idle. */
	key = transaction->own_flow
		      ? engine->flows.flow[transaction->flow].key
		      : send_flow_key(transaction->request, false, agent->incarnation);
	transaction->flow = flow_table_take(&engine->flows, transaction->agent, key, &agent->pace);
	queue_prepend(engine, slot);
	engine->stats.redirected++;
}

static bool defer_busy(struct engine *engine, struct transaction *transaction, uint32_t age)
{
	const struct agent *agent = &engine->agent[transaction->agent];
	bool waits_for_ever = transaction->state == TRANSACTION_FLYING &&
			      transaction->deadline == WHEEL_NEVER && !transaction->expired;

	if (agent->config.report_busy)
		return false;
	/* Of the last attempt, it is the answer; of one before, there may be a better one yet. */
	if (!age && (transaction->attempts >= transaction->attempts_allowed || waits_for_ever))
		return false;
	/* Its end is not put off, nor is a round trip measured by it. */
	if (!age)
		transaction->sent_at = 0;
	engine->stats.busy++;
	return true;
}

static bool defer_redirect(struct engine *engine, struct transaction *transaction,
			   const struct ib_user_mad *umad, size_t length, uint32_t age)
{
	const struct agent *agent = &engine->agent[transaction->agent];
	const struct mad_class *properties = mad_class_of(transaction->mgmt_class);
	size_t offset = properties->data_offset;
	struct ib_mad_addr to;

	/* A redirect was followed after this attempt was written: its reply is from before that. */
	if (transaction->attempts - age <= transaction->redirected_after)
		return true;
	if (agent->config.report_redirects || properties->is_smp || length < offset + REDIRECT_END)
		return false;
	if (transaction->redirects == MOST_REDIRECTS || transaction->attempts == UINT8_MAX)
		return false;
	/* It is the kernel's until its write is reported, and cannot be readdressed. */
	if (transaction->state == TRANSACTION_FLYING && transaction->writing)
		return false;
	if (!address_of(umad->data + offset, &agent->config, &transaction->request->addr, &to))
		return false;
	send_to(engine, (uint32_t)(transaction - engine->transaction), &to);
	return true;
}

bool defer_reply(struct engine *engine, struct transaction *transaction,
		 const struct ib_user_mad *umad, size_t length, uint32_t age)
{
	struct madring_mad_hdr header;

	/* It has but this attempt. */
	if (transaction->by_kernel)
		return false;
	memcpy(&header, umad->data, sizeof(header));
	/* Exactly: with other bits, they are seen to mean something else. */
	switch (be16toh(header.status) & 0x7fff) {
	case STATUS_BUSY:
		return defer_busy(engine, transaction, age);
	case STATUS_REDIRECT:
		return defer_redirect(engine, transaction, umad, length, age);
	default:
		return false;
	}
}
