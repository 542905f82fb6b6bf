/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests that the kernel holds. */
#ifndef MADRING_ENGINE_HELD_H
#define MADRING_ENGINE_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "engine/transaction.h"

/* An attempt that the engine has given up and the kernel still holds. */
struct abandoned {
	uint64_t ends_at; /* when the kernel has certainly dropped it, ns; ENGINE_NEVER */
	uint32_t tid;
};

/* Counts the requests of one registration that the kernel holds. */
struct registration {
	uint16_t held;	    /* requests, at most the limit */
	uint16_t abandoned; /* those of them that the engine has given up */
};

/* Counts the requests of an agent that the kernel holds. It stays zero without a limit. */
struct held {
	uint32_t limit;	 /* of each registration; 0: none */
	uint32_t count;	 /* the sum over the registrations */
	uint32_t room;	 /* the requests that they still have room for; without a limit, all */
	uint32_t exempt; /* queued transactions that need no room */
	struct abandoned *abandoned; /* .limit of them for each registration */
	struct registration registration[ENGINE_MOST_REGISTRATIONS];
};

_Static_assert(ENGINE_MOST_HELD <= UINT16_MAX, "a registration's counts fit");

struct engine;
struct agent;

/* Prepares an agent, whose configuration is known. Returns 0 or -ENOMEM. */
int held_open(struct engine *engine, struct agent *agent);
/* Forgets all that the kernel holds of an agent, whose registrations end. */
void held_close(struct agent *agent);
/* Forgets what the kernel holds of all registrations on a lane that is lost. */
void held_forget_lane(struct engine *engine, unsigned int lane);
/*
 * Counts an attempt that is written by registration @index, which has room. Where abandoned
 * attempts crowd the registration, the kernel is told only twice the attempt's @timeout, so that
 * it drops those of dead nodes soon.
 */
void held_count(struct agent *agent, uint32_t index, struct transaction *transaction,
		uint64_t timeout);
/* Records that the kernel does not hold the current attempt any more. */
void held_drop(struct engine *engine, struct transaction *transaction);
/* Records that the engine gives up the current attempt, and the kernel does not. */
void held_abandon(struct engine *engine, struct transaction *transaction);
/*
 * Records that a MAD which was read ends what the kernel held for its TID: a response or a notice
 * of at least a MAD's header.
 */
void held_take_back(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad);
/* Drops abandoned attempts that the kernel must have dropped by @now. */
void held_advance(struct engine *engine, uint64_t now);
/* Returns when to call held_advance() because an agent waits for it, in ns. */
uint64_t held_deadline(const struct engine *engine);

/* Tells whether the kernel limits the agent's requests. It does not limit those of most classes. */
static inline bool held_is_limited(const struct held *held)
{
	return __builtin_expect(held->limit != 0, 0);
}

/*
 * Tells whether the kernel does not count a transaction against the limit. It does not hold MADs
 * without a reply, and puts segments on the wire at once.
 */
static inline bool held_is_exempt(const struct transaction *transaction)
{
	return transaction->no_reply || transaction->segmented;
}

/* Tells whether registration @index of an agent has room for a transaction. */
static inline bool held_has_room(const struct held *held, uint32_t index,
				 const struct transaction *transaction)
{
	return !held_is_limited(held) || held_is_exempt(transaction) ||
	       held->registration[index].held < held->limit;
}

#endif
