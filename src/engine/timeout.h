/* SPDX-License-Identifier: BSD-2-Clause */
/* How long an attempt waits for its reply, in ns; ENGINE_NEVER means without end. */
#ifndef MADRING_ENGINE_TIMEOUT_H
#define MADRING_ENGINE_TIMEOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine_state.h"

/* A request that may not be repeated early has at least this timeout. */
#define TIMEOUT_CAREFUL_NS UINT64_C(25000000)

/* Tells whether an agent repeats no request early. */
static inline bool timeout_is_careful(const struct engine_agent_config *config)
{
	return config->min_timeout_ns >= TIMEOUT_CAREFUL_NS;
}

/* Returns the timeout of a first attempt in @flow, or in a new flow if that is NULL. */
uint64_t timeout_first(const struct agent *agent, const struct flow *flow);
/*
 * Returns the timeout of the current attempt. It grows with each retry, except for the first ones
 * of a request that may be repeated early.
 */
uint64_t timeout_of(struct engine *engine, const struct transaction *transaction);
/*
 * Returns the timeout of the current attempt by the round trips that are known now. It may be
 * longer than the one that was computed when the attempt was sent.
 */
uint64_t timeout_current(const struct engine *engine, const struct transaction *transaction);
/* Tells whether patience with a flow's node has ended at @now: it has not replied for so long. */
bool timeout_is_dead(const struct agent *agent, const struct flow *flow, uint64_t now);
/* Tells whether patience with a request has ended at @now, or as good as. */
bool timeout_has_ended(const struct engine *engine, const struct transaction *transaction,
		       uint64_t now);

/* Returns the upper bound of `timeout_of`. */
static inline uint64_t timeout_longest(const struct engine *engine,
				       const struct transaction *transaction)
{
	const struct engine_agent_config *config = &engine->agent[transaction->agent].config;

	if (transaction->timeout_ns)
		return transaction->timeout_ns;
	if (config->pin_timeout)
		return config->first_timeout_ns;
	if (config->patience_ns && config->patience_ns < config->max_timeout_ns)
		return config->patience_ns;
	return config->max_timeout_ns;
}

/* Returns the lower bound of `timeout_of`. */
static inline uint64_t timeout_shortest(const struct engine *engine,
					const struct transaction *transaction)
{
	const struct engine_agent_config *config = &engine->agent[transaction->agent].config;

	if (transaction->timeout_ns)
		return transaction->timeout_ns;
	return config->pin_timeout ? config->first_timeout_ns : config->min_timeout_ns;
}

/* Returns the next of the engine's random numbers. */
uint64_t timeout_random(struct engine *engine);
/* Tells whether the caller has fixed the transaction's timeout. */
bool timeout_is_pinned(const struct engine *engine, const struct transaction *transaction);
/* Sets the attempt's timer to @timeout ns after @now. */
void timeout_arm(struct engine *engine, uint32_t slot, uint64_t now, uint64_t timeout);
/* Sets the attempt's timer to a tick. */
void timeout_arm_at(struct engine *engine, uint32_t slot, uint64_t tick);

#endif
