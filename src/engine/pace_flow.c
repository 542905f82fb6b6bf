/* SPDX-License-Identifier: BSD-2-Clause */
/* The window of a flow. */
#include "engine/pace.h"

#define LEAST_WINDOW 2u

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

struct pace_flow pace_flow_open(const struct pace_agent *agent)
{
	return (struct pace_flow){
		.size = agent->pin_flows ? agent->flow_maximum
					 : at_most(agent->flow_first, agent->flow_maximum),
		.maximum = agent->flow_maximum,
		.pinned = agent->pin_flows,
	};
}

/*
 * Widens a window that was used while its node is as fast as ever, apart from the queues that all
 * flows share, and narrows it when the node has become much slower or loses a quarter.
 */
static void end_round(const struct pace_agent *agent, struct pace_flow *flow)
{
	uint64_t rtt = flow->rtt_sum / flow->replies;
	uint64_t base = (uint64_t)flow->base_ns + agent->waiting_ns;
	uint32_t size = flow->size;

	if (4 * (uint32_t)flow->losses > flow->replies + flow->losses && size > 2 * LEAST_WINDOW)
		size /= 2;
	else if (rtt > 2 * base && size > LEAST_WINDOW)
		size -= (size + 3) / 4;
	else if (flow->was_full && rtt <= base + flow->base_ns / 4)
		size += (size + 1) / 2;
	flow->size = at_most(size < LEAST_WINDOW ? LEAST_WINDOW : size, flow->maximum);
	flow->rtt_sum = 0;
	flow->replies = 0;
	flow->losses = 0;
	flow->was_full = false;
}

static void measure_flow(const struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt_ns)
{
	uint32_t rtt = rtt_ns < UINT32_MAX ? (uint32_t)rtt_ns : UINT32_MAX;

	rtt_estimate_add(&flow->rtt, rtt_ns);
	if (flow->pinned)
		return;
	if (!flow->base_ns || rtt < flow->base_ns)
		flow->base_ns = rtt ? rtt : 1;
	flow->rtt_sum += rtt;
	if (++flow->replies >= flow->size || flow->replies == 512)
		end_round(agent, flow);
}

void pace_measured(struct pace_agent *agent, struct pace_flow *flow, unsigned int hops,
		   uint64_t rtt_ns, uint64_t now)
{
	measure_flow(agent, flow, rtt_ns);
	pace_agent_measured(agent, hops, rtt_ns, now);
}

void pace_silent(struct pace_flow *flow, uint64_t sent_at)
{
	if (!flow->silent)
		flow->silent_since = sent_at;
	if (flow->silent < UINT8_MAX)
		flow->silent++;
}

void pace_flow_lost(struct pace_flow *flow, unsigned int attempts)
{
	flow->losses = (uint16_t)at_most(flow->losses + attempts, UINT16_MAX);
}
