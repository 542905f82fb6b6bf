/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another pace, to compare madring's with, and to show that the engine works with any: windows grow
 * by one attempt a round trip and are halved at a loss, as in TCP Reno. Timeouts are those of
 * RFC 6298. An attempt is overtaken after two of them.
 */
#include "pace/pace.h"

#define FIRST_WINDOW 8u
#define LEAST_WINDOW 2u
#define SILENT	     3u

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

/* Widens a window by a reply: by one in each round trip, or by one for each reply at first. */
static void grow(struct pace_window *window, struct aimd *aimd)
{
	uint32_t needed = window->size < aimd->threshold ? 1 : window->size;

	if (!window->was_full || ++aimd->replies < needed)
		return;
	aimd->replies = 0;
	window->was_full = false;
	window->size = at_most(window->size + 1, window->maximum);
}

/* Halves a window, once for all attempts that were sent with it. */
static void halve(struct pace_window *window, struct aimd *aimd, uint64_t sent_at, uint64_t now)
{
	if (sent_at < aimd->shrunk_at)
		return;
	window->size = window->size / 2 > LEAST_WINDOW ? window->size / 2 : LEAST_WINDOW;
	window->size = at_most(window->size, window->maximum);
	aimd->threshold = window->size;
	aimd->replies = 0;
	aimd->shrunk_at = now;
}

static void lose(struct pace_agent *agent, struct pace_flow *flow, uint64_t sent_at)
{
	if (!agent->limits.pin_window)
		halve(&agent->window, &agent->aimd, sent_at, agent->now);
	if (!agent->limits.pin_flow_window)
		halve(&flow->window, &flow->aimd, sent_at, agent->now);
}

void pace_agent_open(struct pace_agent *agent, const struct pace_limits *limits, uint64_t now)
{
	*agent = (struct pace_agent){
		.window = {
			.size = limits->pin_window ? limits->window
						   : at_most(FIRST_WINDOW, limits->window),
			.maximum = limits->window,
		},
		.limits = *limits,
		.aimd.threshold = UINT32_MAX,
		.now = now,
	};
}

struct pace_flow pace_flow_open(const struct pace_agent *agent)
{
	const struct pace_limits *limits = &agent->limits;

	return (struct pace_flow){
		.window = {
			.size = limits->pin_flow_window
					? limits->flow_window
					: at_most(limits->flow_first, limits->flow_window),
			.maximum = limits->flow_window,
		},
	};
}

static void note_answered(struct pace_agent *agent, uint64_t sent_at, uint64_t now)
{
	agent->now = now;
	if (sent_at > agent->answered_sent_at)
		agent->answered_sent_at = sent_at;
}

void pace_measured(struct pace_agent *agent, struct pace_flow *flow, unsigned int hops,
		   uint64_t rtt_ns, uint64_t now)
{
	(void)hops;
	note_answered(agent, now - rtt_ns, now);
	rtt_estimate_add(&agent->rtt, rtt_ns);
	rtt_estimate_add(&flow->rtt, rtt_ns);
	if (!agent->limits.pin_window)
		grow(&agent->window, &agent->aimd);
	if (!agent->limits.pin_flow_window)
		grow(&flow->window, &flow->aimd);
}

void pace_heard_late(struct pace_agent *agent, uint64_t sent_at, uint64_t now)
{
	note_answered(agent, sent_at, now);
}

void pace_answered(struct pace_flow *flow)
{
	flow->silent = 0;
}

/* pace_unanswered() and pace_overtake() have told of each of these. */
void pace_flow_lost(struct pace_flow *flow, unsigned int attempts)
{
	(void)flow;
	(void)attempts;
}

/* TCP Reno does not take back a loss, either. */
void pace_found(struct pace_agent *agent)
{
	(void)agent;
}

void pace_unanswered(struct pace_agent *agent, struct pace_flow *flow,
		     const struct pace_attempt *attempt)
{
	if (!attempt->is_retry && !attempt->place.is_counted_lost && flow->rtt.srtt &&
	    !flow->silent)
		lose(agent, flow, attempt->sent_at);
	if (!flow->silent++)
		flow->silent_since = attempt->sent_at;
}

struct pace_place pace_overtake(struct pace_agent *agent, struct pace_flow *flow,
				const struct pace_attempt *attempt, bool is_dead, uint64_t now)
{
	struct pace_place place = { .overtaken = true };

	agent->now = now;
	pace_yield(&agent->window);
	if (!agent->limits.pin_flow_window &&
	    ((attempt->is_retry && flow->silent < SILENT) || is_dead)) {
		place.released = true;
		pace_yield(&flow->window);
	}
	if (!attempt->is_retry && flow->rtt.srtt && !flow->silent) {
		place.is_counted_lost = true;
		lose(agent, flow, attempt->sent_at);
	}
	return place;
}

/* Returns the age at which an attempt is overtaken, or 0 before the first round trip. */
static uint64_t overtaken_after(const struct pace_agent *agent)
{
	return 2 * rtt_estimate_timeout(&agent->rtt, agent->limits.tick_ns / 16);
}

uint64_t pace_overtaken_before(const struct pace_agent *agent, uint64_t now)
{
	uint64_t after = overtaken_after(agent);
	uint64_t before;

	if (!after || now <= after)
		return 0;
	before = now - after;
	return before < agent->answered_sent_at ? before : agent->answered_sent_at;
}

uint64_t pace_overtaken_at(const struct pace_agent *agent, uint64_t sent_at)
{
	uint64_t after = overtaken_after(agent);

	return after && agent->answered_sent_at > sent_at ? sent_at + after + 1 : UINT64_MAX;
}

uint64_t pace_timeout(const struct pace_agent *agent, const struct pace_flow *flow)
{
	const struct pace_limits *limits = &agent->limits;
	uint64_t timeout = rtt_estimate_timeout(&agent->rtt, limits->tick_ns);
	uint64_t own = flow ? rtt_estimate_timeout(&flow->rtt, limits->tick_ns) : 0;

	if (!timeout)
		return limits->first_timeout_ns;
	if (own > timeout)
		timeout = own;
	if (timeout < limits->min_timeout_ns)
		timeout = limits->min_timeout_ns;
	return timeout < limits->max_timeout_ns ? timeout : limits->max_timeout_ns;
}

uint64_t pace_timeout_now(const struct pace_agent *agent, const struct pace_flow *flow)
{
	return pace_timeout(agent, flow);
}

uint64_t pace_silence(const struct pace_flow *flow, uint64_t now)
{
	return flow->silent && now > flow->silent_since ? now - flow->silent_since : 0;
}
