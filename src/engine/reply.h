/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the transaction that a MAD answers: by the TID alone, then by what a reply repeats of its
 * request. The functions for the common reply are inline.
 */
#ifndef MADRING_ENGINE_REPLY_H
#define MADRING_ENGINE_REPLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mad_class.h"
#include "engine/attempt.h"
#include "engine/engine_state.h"
#include "engine/outcome.h"
#include "engine/route.h"

/* Tells whether an agent has @agent_id on a lane, besides its first registration there. */
bool reply_has_other_registration(const struct engine *engine,
				  const struct transaction *transaction, unsigned int lane,
				  uint32_t agent_id);

/*
 * Tells whether a reply comes from another LID of the port that was asked. With an LMC a port has
 * several, and a program that responds by libibumad without path bits does so from the first. A
 * subnet manager gives the same LMC to all ports, but for switches. The kernel compares no source
 * of a reply. The source is compared here, because a node that responds for others redirects.
 */
bool reply_is_from_same_port(const struct engine *engine, const struct transaction *transaction,
			     const struct ib_user_mad *umad);

/* In baseboard management a bit of the attribute modifier makes a Send a response (IBA 16.2). */
static inline bool reply_is_of_baseboard(const struct madring_mad_hdr *header)
{
	return header->mgmt_class == MADRING_CLASS_BM &&
	       header->attr_mod & htobe32(BASEBOARD_RESPONSE);
}

/* Tells whether a MAD is a response, and not a request. */
static inline bool reply_is_response(const struct madring_mad_hdr *header)
{
	return (header->method & MADRING_RESPONSE_BIT) || header->method == MADRING_TRAP_REPRESS ||
	       reply_is_of_baseboard(header);
}

/*
 * Returns the transaction of which an attempt had the TID of @umad, if it still waits for its
 * reply on this lane, or NULL. Stores how many attempts have begun since that one in @age.
 */
static inline struct transaction *reply_transaction_of(const struct engine *engine,
						       unsigned int lane,
						       const struct ib_user_mad *umad,
						       uint32_t *age)
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
	    !reply_has_other_registration(engine, transaction, lane, umad->agent_id))
		return NULL;
	return transaction;
}

/*
 * Tells whether a MAD has the fields of the request that replies and the kernel's notices repeat.
 */
static inline bool reply_repeats_request(const struct transaction *transaction,
					 const struct madring_mad_hdr *header)
{
	return header->mgmt_class == transaction->mgmt_class &&
	       header->attr_id == transaction->attr_id &&
	       (header->attr_mod == transaction->attr_mod ||
		(reply_is_of_baseboard(header) &&
		 header->attr_mod == (transaction->attr_mod | htobe32(BASEBOARD_RESPONSE))));
}

/*
 * Tells whether a MAD repeats all of the request that a reply must repeat. A TID alone can be
 * forged, or come from an earlier use of the slot.
 */
static inline bool reply_is_to(const struct engine *engine, const struct transaction *transaction,
			       const struct ib_user_mad *umad, const struct madring_mad_hdr *header)
{
	if (!reply_repeats_request(transaction, header))
		return false;
	if (transaction->lid && umad->addr.lid != transaction->lid &&
	    !reply_is_from_same_port(engine, transaction, umad))
		return false;
	return !transaction->directed || route_is_same(transaction->request->data, umad->data);
}

/* Returns the transaction that a response answers, or NULL; @age is as above. */
static inline struct transaction *reply_find(const struct engine *engine, unsigned int lane,
					     const struct ib_user_mad *umad,
					     const struct madring_mad_hdr *header, uint32_t *age)
{
	struct transaction *transaction = reply_transaction_of(engine, lane, umad, age);

	return transaction && reply_is_to(engine, transaction, umad, header) ? transaction : NULL;
}

/*
 * Ends a transaction, because its reply is complete (@status 0) or useless (a negative errno).
 */
static inline void reply_end(struct engine *engine, struct transaction *transaction, int status)
{
	uint32_t slot = (uint32_t)(transaction - engine->transaction);

	attempt_answered(engine, slot);
	outcome_set(engine, slot, status);
}

#endif
