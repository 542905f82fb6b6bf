/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replies that defer the answer (IBA 13.4.7). A BUSY reply: the request is repeated when the
 * attempt's timeout has passed, as if the attempt had been lost. A redirect (13.5.2): the request
 * goes to the other address at once.
 */
#include "engine/defer.h"

#include <string.h>

#include "base/address.h"
#include "base/bytes.h"
#include "base/mad_class.h"
#include "engine/attempt.h"
#include "engine/destination.h"
#include "engine/engine_state.h"
#include "engine/queue.h"

#define STATUS_BUSY	0x0001
#define STATUS_REDIRECT 0x0002

/* No real service needs more. The limit ends a circle of nodes that redirect to each other. */
#define MOST_REDIRECTS 4

/* The offsets of the new address in a redirect's ClassPortInfo (IBA 13.4.8.1). */
#define REDIRECT_GID	 8
#define REDIRECT_TC	 24
#define REDIRECT_SL_FLOW 24 /* traffic class, SL and flow label: 8, 4 and 20 bits */
#define REDIRECT_LID	 28
#define REDIRECT_PKEY	 30
#define REDIRECT_QP	 32
#define REDIRECT_QKEY	 36
#define REDIRECT_END	 40

#define PKEY_VALUE 0x7fff /* a P_Key without its membership bit */

/*
 * Returns the index of a P_Key, if possible of the same membership, or -1 if the port does not
 * have it. Returns @otherwise if the P_Key is 0 or the port's table is not known.
 */
static int find_pkey(const struct engine_agent_config *config, uint16_t pkey, uint16_t otherwise)
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
 * Stores the address that @info, the ClassPortInfo of a redirect, gives instead of @from. Returns
 * false if it cannot be used: its GID has to be resolved, it is invalid, or it equals @from.
 */
static bool read_redirect(const uint8_t *info, const struct engine_agent_config *config,
			  const struct ib_mad_addr *from, struct ib_mad_addr *to)
{
	static const uint8_t no_gid[sizeof(to->gid)];
	uint32_t sl_flow = read_be32(info + REDIRECT_SL_FLOW);
	uint32_t qpn = read_be32(info + REDIRECT_QP) & 0xffffff;
	uint16_t lid = read_be16(info + REDIRECT_LID);
	int pkey = find_pkey(config, read_be16(info + REDIRECT_PKEY), from->pkey_index);

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

/* Puts the request at the head of the queue of the flow to @address. */
static void redirect_request(struct engine *engine, uint32_t slot,
			     const struct ib_mad_addr *address)
{
	struct transaction *transaction = &engine->transaction[slot];
	struct agent *agent = &engine->agent[transaction->agent];
	uint64_t key;

	if (transaction->state == TRANSACTION_QUEUED)
		queue_remove(engine, slot);
	else
		attempt_end(engine, slot, ATTEMPT_ANSWERED);
	transaction->request->addr = *address;
	transaction->lid = destination_source_lid(transaction->request, false);
	transaction->redirects++;
	transaction->redirected_after = transaction->attempts;
	if (transaction->attempts_allowed < UINT8_MAX)
		transaction->attempts_allowed++;
	/* The caller's own flow stays the same, but may just have become idle. */
	key = transaction->own_flow
		      ? engine->flows.flow[transaction->flow].key
		      : destination_flow_key(transaction->request, false, agent->incarnation);
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
	/* BUSY is the answer to the last attempt. A reply to a later attempt may be better. */
	if (!age && (transaction->attempts >= transaction->attempts_allowed || waits_for_ever))
		return false;
	/* The BUSY reply neither extends the attempt nor measures a round trip. */
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

	/* A redirect was followed after this attempt was written, so its redirect is outdated. */
	if (transaction->attempts - age <= transaction->redirected_after)
		return true;
	if (agent->config.report_redirects || properties->is_smp || length < offset + REDIRECT_END)
		return false;
	if (transaction->redirects == MOST_REDIRECTS || transaction->attempts == UINT8_MAX)
		return false;
	/* The kernel may still read the request until its write is reported. */
	if (transaction->state == TRANSACTION_FLYING && transaction->writing)
		return false;
	if (!read_redirect(umad->data + offset, &agent->config, &transaction->request->addr, &to))
		return false;
	redirect_request(engine, (uint32_t)(transaction - engine->transaction), &to);
	return true;
}

bool defer_reply(struct engine *engine, struct transaction *transaction,
		 const struct ib_user_mad *umad, size_t length, uint32_t age)
{
	struct madring_mad_hdr header;

	/* The kernel makes the only attempt. */
	if (transaction->by_kernel)
		return false;
	memcpy(&header, umad->data, sizeof(header));
	/*
	 * Other bits change the meaning: MADs with more bits set were seen to mean something else.
	 */
	switch (be16toh(header.status) & MAD_STATUS_MASK) {
	case STATUS_BUSY:
		return defer_busy(engine, transaction, age);
	case STATUS_REDIRECT:
		return defer_redirect(engine, transaction, umad, length, age);
	default:
		return false;
	}
}
