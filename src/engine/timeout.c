/* SPDX-License-Identifier: BSD-2-Clause */
/* Timeouts: the time that an attempt waits for its reply, and the timers that end the wait. */
#include "engine/timeout.h"

#include "engine/engine_state.h"

/* The time per byte of a message in segments on a slow fabric: 5,000 segments a second. */
#define NS_PER_BYTE 1000u

/* A request has at least so many attempts, if it may have them, however long they take. */
#define LEAST_ATTEMPTS 2u

/* So many retries of a request that is repeated early are not backed off. */
#define EARLY_RETRIES 2u

static uint64_t bound_timeout(uint64_t value, const struct engine_agent_config *config)
{
	if (value < config->min_timeout_ns)
		return config->min_timeout_ns;
	return value < config->max_timeout_ns ? value : config->max_timeout_ns;
}

uint64_t timeout_first(const struct agent *agent, const struct flow *flow)
{
	if (agent->config.pin_timeout)
		return agent->config.first_timeout_ns;
	return pace_timeout(&agent->pace, flow ? &flow->pace : NULL);
}

uint64_t timeout_random(struct engine *engine)
{
	engine->random ^= engine->random << 13;
	engine->random ^= engine->random >> 7;
	engine->random ^= engine->random << 17;
	return engine->random;
}

/* Tells whether a request is repeated as soon as its reply is late, with the shortest timeouts. */
static bool is_repeated_early(const struct engine_agent_config *config,
			      const struct transaction *transaction)
{
	return !transaction->is_careful && !timeout_is_careful(config);
}

/* Returns which retry the current attempt is. The attempt after a redirect is not a retry. */
static unsigned int retry_of(const struct transaction *transaction)
{
	return transaction->attempts - 1u - transaction->redirects;
}

/*
 * Doubles a timeout for each retry, and then changes it by up to an eighth at random. So requests
 * that were lost together are not sent together again. The first retries of a request that may be
 * repeated early are not slower: chance loses few MADs, and seldom the same one thrice.
 */
static uint64_t back_off_timeout(struct engine *engine, const struct transaction *transaction,
				 uint64_t timeout)
{
	const struct engine_agent_config *config = &engine->agent[transaction->agent].config;
	unsigned int retry = retry_of(transaction);
	uint64_t limit = config->max_timeout_ns;

	if (!retry)
		return timeout;
	if (is_repeated_early(config, transaction))
		retry -= retry < EARLY_RETRIES ? retry : EARLY_RETRIES;
	while (retry-- && timeout < limit)
		timeout *= 2;
	if (timeout > limit)
		timeout = limit;
	timeout = timeout - timeout / 8 + timeout_random(engine) % (timeout / 4 + 1);
	return bound_timeout(timeout, config);
}

/*
 * Returns how long the kernel takes to send a request in segments. The kernel reports nothing of
 * it.
 */
static uint64_t time_to_send(const struct agent *agent, const struct transaction *transaction)
{
	if (!transaction->segmented || agent->config.user_rmpp)
		return 0;
	return (uint64_t)transaction->length * NS_PER_BYTE;
}

bool timeout_is_dead(const struct agent *agent, const struct flow *flow, uint64_t now)
{
	uint64_t patience = agent->config.patience_ns;

	return patience && pace_silence(&flow->pace, now) >= patience;
}

/*
 * Tells whether a request has had so many attempts that patience may end. A program that did not
 * run for a second has not asked for a second.
 */
static bool has_been_tried(const struct transaction *transaction)
{
	return transaction->attempts >= transaction->redirects + LEAST_ATTEMPTS;
}

bool timeout_has_ended(const struct engine *engine, const struct transaction *transaction,
		       uint64_t now)
{
	const struct agent *agent = &engine->agent[transaction->agent];
	uint64_t patience = agent->config.patience_ns;

	if (!patience || !transaction->first_sent_at || timeout_is_pinned(engine, transaction))
		return false;
	now += engine->config.tick_ns;
	if (now >= transaction->first_sent_at + patience && has_been_tried(transaction))
		return true;
	/* The last attempt to a dead node has a quarter of the patience. */
	return timeout_is_dead(agent, &engine->flows.flow[transaction->flow], now) &&
	       now >= transaction->sent_at + patience / 4;
}

/* Returns how much patience with a request is left at @at. With none set there is no end of it. */
static uint64_t patience_left(const struct engine *engine, const struct transaction *transaction,
			      uint64_t at)
{
	uint64_t patience = engine->agent[transaction->agent].config.patience_ns;
	uint64_t spent = at - transaction->first_sent_at;

	if (!patience || !transaction->first_sent_at)
		return ENGINE_NEVER;
	return patience > spent ? patience - spent : 1;
}

/* Shortens a timeout to the patience that is left, or makes the last attempt's as long as that. */
static uint64_t within_patience(const struct engine *engine, const struct transaction *transaction,
				uint64_t timeout)
{
	const struct agent *agent = &engine->agent[transaction->agent];
	const struct engine_agent_config *config = &agent->config;
	uint64_t left = patience_left(engine, transaction, engine->now);

	if (left == ENGINE_NEVER)
		return timeout;
	if (timeout_is_dead(agent, &engine->flows.flow[transaction->flow], engine->now) &&
	    timeout < config->patience_ns / 4)
		timeout = config->patience_ns / 4;
	if ((timeout > left && has_been_tried(transaction)) ||
	    (config->is_patient && transaction->attempts_allowed >= config->attempts &&
	     transaction->attempts >= transaction->attempts_allowed))
		return left;
	return timeout;
}

uint64_t timeout_of(struct engine *engine, const struct transaction *transaction)
{
	const struct agent *agent = &engine->agent[transaction->agent];
	uint64_t timeout;

	if (transaction->timeout_ns)
		return transaction->timeout_ns;
	timeout = timeout_first(agent, &engine->flows.flow[transaction->flow]);
	if (agent->config.pin_timeout)
		return timeout;
	if (transaction->is_careful && timeout < TIMEOUT_CAREFUL_NS)
		timeout = bound_timeout(TIMEOUT_CAREFUL_NS, &agent->config);
	if (transaction->attempts > 1)
		timeout = back_off_timeout(engine, transaction, timeout);
	return within_patience(engine, transaction, timeout) + time_to_send(agent, transaction);
}

bool timeout_is_pinned(const struct engine *engine, const struct transaction *transaction)
{
	return transaction->timeout_ns || engine->agent[transaction->agent].config.pin_timeout;
}

void timeout_arm_at(struct engine *engine, uint32_t slot, uint64_t tick)
{
	struct wheel *wheel = &engine->wheel;

	engine->transaction[slot].deadline = tick;
	/*
	 * A slot's timer stays in the wheel when its transaction is answered, which is the rule. It
	 * expires early for the slot's next transaction, and is then set again.
	 */
	if (wheel_holds(wheel, slot)) {
		if (wheel_tick(wheel, slot) <= tick)
			return;
		wheel_remove(wheel, slot);
	}
	wheel_set(wheel, slot, tick);
}

void timeout_arm(struct engine *engine, uint32_t slot, uint64_t now, uint64_t timeout)
{
	uint64_t tick_ns = engine->config.tick_ns;

	if (timeout < ENGINE_NEVER - now - tick_ns)
		timeout_arm_at(engine, slot, (now + timeout + tick_ns - 1) / tick_ns);
}

/*
 * Returns the timeout by the round trips that are known now. It may be longer than the one that
 * was computed when the attempt was sent.
 */
uint64_t timeout_current(const struct engine *engine, const struct transaction *transaction)
{
	const struct agent *agent = &engine->agent[transaction->agent];
	const struct flow *flow = &engine->flows.flow[transaction->flow];
	uint64_t timeout = pace_timeout_now(&agent->pace, &flow->pace);
	uint64_t left = patience_left(engine, transaction, transaction->sent_at);

	return (timeout < left ? timeout : left) + time_to_send(agent, transaction);
}
