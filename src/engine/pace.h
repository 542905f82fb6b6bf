/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pace: how many attempts may be in flight, of an agent in all and of each of its flows, what
 * counts as congestion, and how long a reply may take. The rest of the engine tells it what becomes
 * of attempts, and asks before it writes one. Another algorithm is another pace.c, with its state
 * in the two structs below.
 *
 * The algorithm of today: windows that grow on replies and shrink by the share of losses
 * (window.h), and round trips as in RFC 6298.
 */
#ifndef MADRING_ENGINE_PACE_H
#define MADRING_ENGINE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rtt.h"
#include "engine/window.h"

struct pace_limits {
	uint32_t window;      /* the most in flight of an agent */
	uint32_t flow_window; /* the most in flight in one flow */
	bool pin_window;      /* it is the window, and not only its limit */
	bool pin_flow_window;
};

/* What is known of an agent. Its flows share it. */
struct pace_agent {
	struct window window;
	struct window fresh;	 /* the window of a flow that is new */
	struct rtt_estimate rtt; /* of the longest round trip in each windowful */
	uint64_t shortest_ns;	 /* the shortest round trip of all */
	uint64_t longest_ns;	 /* the longest one in this windowful */
	uint32_t samples;	 /* in this windowful */
};

/* What is known of a flow: the way to one destination. */
struct pace_flow {
	struct window window;
	struct rtt_estimate rtt;
	bool is_silent; /* a request has ended without a reply, and no loss was seen since */
};

void pace_agent_open(struct pace_agent *agent, const struct pace_limits *limits);
/* `pace_flow_open` returns what is known of a flow of the agent that is new. */
struct pace_flow pace_flow_open(const struct pace_agent *agent);

/* `pace_agent_admits` and `pace_flow_admits` tell whether one more attempt may be in flight. */
static inline bool pace_agent_admits(const struct pace_agent *agent)
{
	return window_has_room(&agent->window);
}

static inline bool pace_flow_admits(const struct pace_flow *flow)
{
	return window_has_room(&flow->window);
}

/* `pace_sent` counts an attempt that is in flight from now on, whether it is admitted or not. */
static inline void pace_sent(struct pace_agent *agent, struct pace_flow *flow)
{
	window_take(&agent->window);
	window_take(&flow->window);
}

/* Attempts in flight, and how many may be. */
static inline uint32_t pace_in_flight(const struct pace_agent *agent)
{
	return agent->window.in_flight;
}

static inline uint32_t pace_flow_in_flight(const struct pace_flow *flow)
{
	return flow->window.in_flight;
}

static inline uint32_t pace_window(const struct pace_agent *agent)
{
	return agent->window.size;
}

/* `pace_measured` takes a round trip, of a reply that is known to answer that attempt. */
void pace_measured(struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt_ns);

/*
 * Each attempt that pace_sent() has counted ends by one of these three.
 *
 * `pace_answered` ends one that has its reply. @rtt_ns is its round trip, or 0 if that is not
 * known.
 * @longest_timeout_ns is the longest that any attempt of its request waits.
 */
void pace_answered(struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt_ns,
		   uint64_t longest_timeout_ns);

/*
 * `pace_silent` ends an attempt that has no reply. @was_refused: its reply was BUSY, or the device
 * has never taken it. Returns true if nobody can know yet whether it was lost. The caller counts
 * these for each request, for pace_lost().
 */
bool pace_silent(struct pace_agent *agent, struct pace_flow *flow, bool is_retry, bool was_refused);

/* `pace_withdrawn` ends one that says nothing of the network: it was cancelled, or has failed. */
void pace_withdrawn(struct pace_agent *agent, struct pace_flow *flow);

/* `pace_lost` counts @attempts as lost, because a later attempt of their request is answered. */
void pace_lost(struct pace_agent *agent, struct pace_flow *flow, unsigned int attempts);

/* `pace_unanswered` notes that a request of the flow has ended, and no attempt was answered. */
void pace_unanswered(struct pace_flow *flow);

/* `pace_timeout` returns how long a reply may take by the round trips of the agent, and of the flow
   unless that is NULL; or 0 before the first round trip. */
uint64_t pace_timeout(const struct pace_agent *agent, const struct pace_flow *flow,
		      uint64_t granularity_ns);
/* `pace_timeout_now` counts the round trips of a windowful that is not complete, too. */
uint64_t pace_timeout_now(const struct pace_agent *agent, const struct pace_flow *flow,
			  uint64_t granularity_ns);

#endif
