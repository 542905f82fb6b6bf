/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/pace.h"

/* How windows begin, before anything is known of the fabric. */
#define AGENT_FIRST_WINDOW 64
#define FLOW_FIRST_WINDOW  4

void pace_agent_open(struct pace_agent *agent, const struct pace_limits *limits)
{
	*agent = (struct pace_agent){ .shortest_ns = UINT64_MAX };
	window_open(&agent->window, AGENT_FIRST_WINDOW, limits->window, limits->pin_window);
	window_open(&agent->fresh, FLOW_FIRST_WINDOW, limits->flow_window, limits->pin_flow_window);
}

struct pace_flow pace_flow_open(const struct pace_agent *agent)
{
	return (struct pace_flow){ .window = agent->fresh };
}

/*
 * Thousands of samples a round trip, each much like the one before, would let the estimate's
 * variance vanish; RFC 7323 (appendix G) warns of that. One sample a windowful is taken, the
 * longest.
 */
static void agent_measured(struct pace_agent *agent, uint64_t rtt_ns)
{
	if (rtt_ns < agent->shortest_ns)
		agent->shortest_ns = rtt_ns;
	if (rtt_ns > agent->longest_ns)
		agent->longest_ns = rtt_ns;
	if (++agent->samples < agent->window.in_flight)
		return;
	rtt_estimate_add(&agent->rtt, agent->longest_ns);
	agent->longest_ns = 0;
	agent->samples = 0;
}

void pace_measured(struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt_ns)
{
	rtt_estimate_add(&flow->rtt, rtt_ns);
	agent_measured(agent, rtt_ns);
}

/*
 * `is_slow` tells whether a reply has waited in a queue, and for long. A window that grows until
 * round trips are as long as the longest timeout brings nothing but retries. What is in flight may
 * double before the next round trip tells of it, and so may that.
 */
static bool is_slow(const struct pace_agent *agent, uint64_t rtt_ns, uint64_t longest_timeout_ns)
{
	return rtt_ns > longest_timeout_ns / 4 && rtt_ns / 2 > agent->shortest_ns;
}

void pace_answered(struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt_ns,
		   uint64_t longest_timeout_ns)
{
	if (is_slow(agent, rtt_ns, longest_timeout_ns)) {
		window_answered_slowly(&agent->window, AGENT_FIRST_WINDOW);
		window_answered_slowly(&flow->window, FLOW_FIRST_WINDOW);
	} else {
		window_answered(&agent->window);
		window_answered(&flow->window);
	}
}

/*
 * An attempt without a reply counts as lost at once, or when a later attempt of its request is
 * answered. If none ever is, nothing was lost on the way: the node is dead, or does not answer such
 * a request. But a burst of retries should find windows that have shrunk already. So first attempts
 * count at once where the node is known to answer.
 */
bool pace_silent(struct pace_agent *agent, struct pace_flow *flow, bool is_retry, bool was_refused)
{
	window_silent(&agent->window);
	window_silent(&flow->window);
	if (!was_refused && (is_retry || !flow->rtt.srtt || flow->is_silent))
		return true;
	window_lost(&agent->window);
	window_lost(&flow->window);
	return false;
}

void pace_withdrawn(struct pace_agent *agent, struct pace_flow *flow)
{
	window_give(&agent->window);
	window_give(&flow->window);
}

void pace_lost(struct pace_agent *agent, struct pace_flow *flow, unsigned int attempts)
{
	if (attempts)
		flow->is_silent = false;
	while (attempts--) {
		window_lost(&agent->window);
		window_lost(&flow->window);
	}
}

void pace_unanswered(struct pace_flow *flow)
{
	flow->is_silent = true;
}

/*
 * The longer of what the destination and the agent have shown: the local port's own queue is
 * on every way, and a destination that was fast when nothing else was in flight waits in it
 * like the others.
 */
static uint64_t longer_timeout(const struct rtt_estimate *of_agent, const struct pace_flow *flow,
			       uint64_t granularity_ns)
{
	uint64_t timeout = rtt_estimate_timeout(of_agent, granularity_ns);
	uint64_t own = flow ? rtt_estimate_timeout(&flow->rtt, granularity_ns) : 0;

	return own > timeout ? own : timeout;
}

uint64_t pace_timeout(const struct pace_agent *agent, const struct pace_flow *flow,
		      uint64_t granularity_ns)
{
	return longer_timeout(&agent->rtt, flow, granularity_ns);
}

uint64_t pace_timeout_now(const struct pace_agent *agent, const struct pace_flow *flow,
			  uint64_t granularity_ns)
{
	struct rtt_estimate estimate = agent->rtt;

	if (agent->longest_ns > estimate.srtt)
		rtt_estimate_add(&estimate, agent->longest_ns);
	return longer_timeout(&estimate, flow, granularity_ns);
}
