/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/pace.h"

/* The first sizes of windows, before anything is known of the fabric. */
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
 * Adds a round trip to the agent's estimate. Thousands of similar samples in a round trip would
 * let the estimate's variance vanish (RFC 7323, appendix G). So only the longest sample of each
 * windowful counts.
 */
static void add_agent_sample(struct pace_agent *agent, uint64_t rtt_ns)
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
	add_agent_sample(agent, rtt_ns);
}

/*
 * Tells whether a reply has waited long in a queue. A window that grows until round trips reach
 * the longest timeout only causes retries. The attempts in flight may double before the next
 * round trip shows it, and so may the round trip: hence a quarter of that timeout.
 */
static bool is_slow_reply(const struct pace_agent *agent, uint64_t rtt_ns,
			  uint64_t longest_timeout_ns)
{
	return rtt_ns > longest_timeout_ns / 4 && rtt_ns / 2 > agent->shortest_ns;
}

void pace_answered(struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt_ns,
		   uint64_t longest_timeout_ns)
{
	if (is_slow_reply(agent, rtt_ns, longest_timeout_ns)) {
		window_answered_slowly(&agent->window, AGENT_FIRST_WINDOW);
		window_answered_slowly(&flow->window, FLOW_FIRST_WINDOW);
	} else {
		window_answered(&agent->window);
		window_answered(&flow->window);
	}
}

/*
 * An attempt without a reply counts as lost at once, or when a later attempt of its request is
 * answered. If none ever is, nothing was lost: the node is dead, or does not answer such a
 * request. But the windows should have shrunk before a burst of retries. So first attempts count
 * at once if the node is known to answer. Its credit ends with a request whose second attempt has
 * no reply either, until one is known to be lost. Otherwise a node that answers all but some
 * requests would have the smallest window as long as the first of these waits.
 */
bool pace_silent(struct pace_agent *agent, struct pace_flow *flow, bool is_retry, bool was_refused)
{
	window_silent(&agent->window);
	window_silent(&flow->window);
	if (is_retry && !was_refused)
		flow->is_silent = true;
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
 * Returns the longer of the timeouts by the agent's and the destination's round trips. All
 * requests share the local port's queue: a destination that was fast on an idle port waits in it
 * like all others.
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
