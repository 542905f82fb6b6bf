/* SPDX-License-Identifier: BSD-2-Clause */
/* How long an attempt waits for its reply. */
#include "engine/engine_state.h"

/* Of a message in segments: a slow fabric's pace, 5,000 segments a second. */
#define NS_PER_BYTE 1000u

static uint64_t bounded(uint64_t value, const struct engine_agent_config *config)
{
	if (value < config->min_timeout_ns)
		return config->min_timeout_ns;
	return value < config->max_timeout_ns ? value : config->max_timeout_ns;
}

/*
 * The longer of what the destination and the agent have shown: the local port's own queue is
 * on every way, and a destination that was fast when nothing else was in flight waits in it
 * like the others.
 */
static uint64_t by_round_trips(const struct engine *engine, const struct rtt_estimate *of_agent,
			       const struct flow *flow, const struct engine_agent_config *config)
{
	uint64_t timeout = rtt_estimate_timeout(of_agent, engine->config.tick_ns);
	uint64_t own = flow ? rtt_estimate_timeout(&flow->rtt, engine->config.tick_ns) : 0;

	if (own > timeout)
		timeout = own;
	return timeout ? bounded(timeout, config) : config->first_timeout_ns;
}

uint64_t timeout_first(const struct engine *engine, const struct agent *agent,
		       const struct flow *flow)
{
	if (agent->config.pin_timeout)
		return agent->config.first_timeout_ns;
	return by_round_trips(engine, &agent->rtt, flow, &agent->config);
}

uint64_t timeout_random(struct engine *engine)
{
	engine->random ^= engine->random << 13;
	engine->random ^= engine->random >> 7;
	engine->random ^= engine->random << 17;
	return engine->random;
}

/* `retry_of` returns which retry the current attempt is. An attempt that follows a redirect is
 * none. */
static unsigned int retry_of(const struct transaction *transaction)
{
	return transaction->attempts - 1u - transaction->redirects;
}

/* Doubled for each retry, and then up to an eighth shorter or longer, so that what was lost
   together is not sent together again. */
static uint64_t backed_off(struct engine *engine, uint64_t timeout, unsigned int retry,
			   const struct engine_agent_config *config)
{
	uint64_t limit = config->max_timeout_ns;

	if (!retry)
		return timeout;
	while (retry-- && timeout < limit)
		timeout *= 2;
	if (timeout > limit)
		timeout = limit;
	timeout = timeout - timeout / 8 + timeout_random(engine) % (timeout / 4 + 1);
	return bounded(timeout, config);
}

/* What sending it takes before there can be a reply, when the kernel does and tells nothing. */
static uint64_t time_to_send(const struct agent *agent, const struct transaction *transaction)
{
	if (!transaction->segmented || agent->config.user_rmpp)
		return 0;
	return (uint64_t)transaction->length * NS_PER_BYTE;
}

uint64_t timeout_of(struct engine *engine, const struct transaction *transaction)
{
	const struct agent *agent = &engine->agent[transaction->agent];
	uint64_t timeout;

	if (transaction->timeout_ns)
		return transaction->timeout_ns;
	timeout = timeout_first(engine, agent, &engine->flows.flow[transaction->flow]);
	if (agent->config.pin_timeout)
		return timeout;
	if (transaction->attempts > 1)
		timeout = backed_off(engine, timeout, retry_of(transaction), &agent->config);
	return timeout + time_to_send(agent, transaction);
}

bool timeout_is_pinned(const struct engine *engine, const struct transaction *transaction)
{
	return transaction->timeout_ns || engine->agent[transaction->agent].config.pin_timeout;
}

uint64_t timeout_now(const struct engine *engine, const struct transaction *transaction)
{
	const struct agent *agent = &engine->agent[transaction->agent];
	struct rtt_estimate estimate = agent->rtt;

	/* The windowful under way counts as far as it has come. */
	if (agent->longest_rtt_ns > estimate.srtt)
		rtt_estimate_add(&estimate, agent->longest_rtt_ns);
	return by_round_trips(engine, &estimate, &engine->flows.flow[transaction->flow],
			      &agent->config) +
	       time_to_send(agent, transaction);
}
