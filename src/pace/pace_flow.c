/* SPDX-License-Identifier: BSD-2-Clause */
/* The window of a flow. */
#include "pace/pace_parts.h"

#define LEAST_WINDOW 2u

/*
 * Masters are cautious: where flows begin with the least window, one that is no wider than this is
 * narrowed without looking whether that makes the node faster.
 */
#define CAUTIOUS_WINDOW 8u

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

struct pace_flow pace_flow_open(const struct pace_agent *agent)
{
	return (struct pace_flow){
		.window = {
			.size = agent->limits.pin_flow_window
					? agent->limits.flow_window
					: at_most(agent->limits.flow_first, agent->limits.flow_window),
			.maximum = agent->limits.flow_window,
		},
	};
}

static bool is_cautious(const struct pace_agent *agent)
{
	return agent->limits.flow_first <= LEAST_WINDOW;
}

/*
 * Narrows a window, because round trips are much longer than the shortest. If the node serves one
 * attempt after another, that shortens its queue and keeps its rate. The replies to what the
 * wider window has sent do not tell.
 */
static uint32_t narrow(const struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt)
{
	if (flow->window.size > CAUTIOUS_WINDOW || !is_cautious(agent)) {
		flow->narrowed_ns = (uint32_t)rtt;
		flow->old = flow->window.in_flight;
	}
	return flow->window.size - (flow->window.size + 3) / 4;
}

/*
 * Tells whether round trips are long by no queue of the flow: they are hardly shorter than those
 * that led to a narrower window, or the window is the least one. Two attempts at a node that
 * serves one after another take no more than twice the shortest round trip.
 */
static bool is_slow_without_queue(const struct pace_agent *agent, const struct pace_flow *flow,
				  uint64_t rtt, uint64_t usual)
{
	if (flow->narrowed_ns)
		return rtt > flow->narrowed_ns - flow->narrowed_ns / 16;
	return flow->window.size <= LEAST_WINDOW && rtt > 2 * usual && !is_cautious(agent);
}

/* Records the excess of a round over the shortest round trip, if it is less inherent than known. */
static void lower_inherent(struct pace_flow *flow, uint64_t excess)
{
	if (excess < flow->inherent_ns)
		flow->inherent_ns -= (flow->inherent_ns - (uint32_t)excess + 1) / 2;
}

/*
 * Widens a window that was used while its node is as fast as ever, apart from the queues that all
 * flows share. Narrows it when the node loses a quarter, or has become much slower and a narrower
 * window makes it faster. Where that does not, the node answers many at a time, and takes long for
 * some: the window is as wide as before, and such round trips are what the node takes.
 */
static uint32_t next_size(const struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt)
{
	uint64_t shortest = (uint64_t)flow->base_ns + agent->waiting_ns;
	uint64_t excess = rtt > shortest ? rtt - shortest : 0, usual;
	bool is_without_queue;
	uint32_t size = flow->window.size;

	lower_inherent(flow, excess);
	usual = shortest + flow->inherent_ns;
	is_without_queue = is_slow_without_queue(agent, flow, rtt, usual);
	flow->narrowed_ns = 0;
	if (4 * (uint32_t)flow->losses > flow->replies + flow->losses && size > 2 * LEAST_WINDOW)
		return size / 2;
	if (is_without_queue) {
		flow->inherent_ns = (uint32_t)excess;
		return size + (size + 2) / 3;
	}
	if (rtt > 2 * usual && size > LEAST_WINDOW)
		return narrow(agent, flow, rtt);
	if (flow->window.was_full && rtt <= usual + (flow->base_ns + flow->inherent_ns) / 4)
		return size + (size + 1) / 2;
	return size;
}

static void end_round(const struct pace_agent *agent, struct pace_flow *flow)
{
	uint32_t size = next_size(agent, flow, flow->rtt_sum / flow->replies);

	flow->window.size =
		at_most(size < LEAST_WINDOW ? LEAST_WINDOW : size, flow->window.maximum);
	flow->rtt_sum = 0;
	flow->replies = 0;
	flow->losses = 0;
	flow->window.was_full = false;
}

static void measure_flow(const struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt_ns)
{
	uint32_t rtt = rtt_ns < UINT32_MAX ? (uint32_t)rtt_ns : UINT32_MAX;

	rtt_estimate_add(&flow->rtt, rtt_ns);
	if (agent->limits.pin_flow_window)
		return;
	if (!flow->base_ns || rtt < flow->base_ns)
		flow->base_ns = rtt ? rtt : 1;
	if (flow->old) {
		flow->old--;
		return;
	}
	flow->rtt_sum += rtt;
	if (++flow->replies >= flow->window.size || flow->replies == 512)
		end_round(agent, flow);
}

void pace_measured(struct pace_agent *agent, struct pace_flow *flow, unsigned int hops,
		   uint64_t rtt_ns, uint64_t now)
{
	if (pace_is_after_silence(agent, now - rtt_ns, now))
		return;
	measure_flow(agent, flow, rtt_ns);
	pace_agent_measured(agent, hops, rtt_ns, now);
}

void pace_answered(struct pace_flow *flow)
{
	flow->silent = 0;
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

uint64_t pace_silence(const struct pace_flow *flow, uint64_t now)
{
	return flow->silent && now > flow->silent_since ? now - flow->silent_since : 0;
}
