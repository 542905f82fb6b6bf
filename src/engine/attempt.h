/* SPDX-License-Identifier: BSD-2-Clause */
/* The attempt in flight. */
#ifndef MADRING_ENGINE_ATTEMPT_H
#define MADRING_ENGINE_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine_state.h"

enum attempt_end { ATTEMPT_ANSWERED, ATTEMPT_LOST, ATTEMPT_WITHDRAWN };

/* Takes the current attempt out of flight, which makes room for another. */
void attempt_end(struct engine *engine, uint32_t slot, enum attempt_end how);
/*
 * Ends the attempts of a transaction that has its reply, whether one is in flight or the next one
 * is queued.
 */
void attempt_answered(struct engine *engine, uint32_t slot);
/*
 * Measures the round trip of a reply that comes, or begins to. @age is how many attempts have begun
 * since the one that is answered.
 */
void attempt_measure(struct engine *engine, struct transaction *transaction, uint32_t age,
		     uint64_t now);
/*
 * Ends the current attempt without a reply. The next attempt or the transaction's end follows.
 */
void attempt_lost(struct engine *engine, uint32_t slot);
/*
 * Takes back an attempt that the device has not taken, and makes it again @ticks later. It was
 * never sent.
 */
void attempt_postpone(struct engine *engine, uint32_t slot, uint64_t now, uint64_t ticks);
/*
 * Puts the transaction in flight on @lane, where its reply arrives, unless it is there already.
 */
void attempt_resume(struct engine *engine, uint32_t slot, unsigned int lane);
/* Counts a reply that comes after its attempt has ended. */
void attempt_find(struct engine *engine, const struct transaction *transaction);
/* Takes the places of an attempt that later ones have overtaken at @heard. */
void attempt_overtake(struct engine *engine, struct transaction *transaction, uint64_t heard);
/* Starts the timer of the current attempt. */
void attempt_wait(struct engine *engine, uint32_t slot, uint64_t now);
/* Ends the current attempt, whose timeout has passed, as soon as its write is reported. */
void attempt_expire(struct engine *engine, uint32_t slot);

/* Counts an attempt that begins. */
static inline void attempt_count_in_flight(struct engine *engine,
					   const struct transaction *transaction)
{
	engine->lane[transaction->lane].in_flight++;
	engine->in_flight++;
	if (engine->in_flight > engine->stats.in_flight_peak)
		engine->stats.in_flight_peak = engine->in_flight;
}

#endif
