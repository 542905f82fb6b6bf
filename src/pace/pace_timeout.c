/* SPDX-License-Identifier: BSD-2-Clause */
/* How long the reply to a first attempt may take, by the round trips. */
#include "pace/pace_parts.h"

/* An attempt to a node that has not answered yet has at least this timeout. */
#define UNKNOWN_NS UINT64_C(2000000)
/* It has no longer one because other nodes are slow. */
#define MOST_UNKNOWN_NS UINT64_C(16000000)

/*
 * Returns the timeout of an attempt to a node that has not answered yet. It may be as slow as the
 * slowest of late: if a slow node were asked again and again, it would be slower still.
 */
static uint64_t unknown_timeout(const struct pace_agent *agent, uint64_t measured)
{
	uint64_t slowest = 2 * (uint64_t)agent->slowest_ns;
	uint64_t timeout = 2 * measured > UNKNOWN_NS ? 2 * measured : UNKNOWN_NS;

	if (slowest > MOST_UNKNOWN_NS)
		slowest = MOST_UNKNOWN_NS;
	return slowest > timeout ? slowest : timeout;
}

/*
 * Returns the longer timeout by two estimates, that of the agent and that of the flow, within the
 * limits. Where replies came after their request was repeated, timeouts have been too short.
 */
static uint64_t timeout_by(const struct rtt_estimate *of_agent, const struct pace_agent *agent,
			   const struct pace_flow *flow)
{
	const struct pace_limits *limits = &agent->limits;
	uint64_t least = limits->min_timeout_ns * (1 + agent->reordering);
	uint64_t slowest = agent->slowest_ns;
	uint64_t timeout = rtt_estimate_timeout(of_agent, limits->tick_ns);
	uint64_t own = flow ? rtt_estimate_timeout(&flow->rtt, limits->tick_ns) : 0;

	if (own > timeout)
		timeout = own;
	if (!timeout)
		return limits->first_timeout_ns;
	if (!own)
		timeout = unknown_timeout(agent, timeout);
	/* Without early retries, any attempt may be as slow as the slowest of late. */
	if (limits->is_careful && timeout < slowest + slowest / 2)
		timeout = slowest + slowest / 2;
	if (timeout < least)
		timeout = least;
	return timeout < limits->max_timeout_ns ? timeout : limits->max_timeout_ns;
}

uint64_t pace_timeout(const struct pace_agent *agent, const struct pace_flow *flow)
{
	return timeout_by(&agent->rtt, agent, flow);
}

uint64_t pace_timeout_now(const struct pace_agent *agent, const struct pace_flow *flow)
{
	struct rtt_estimate estimate = agent->rtt;

	if (agent->round.longest_ns > estimate.srtt)
		rtt_estimate_add(&estimate, agent->round.longest_ns);
	return timeout_by(&estimate, agent, flow);
}
