/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pace: how many attempts an agent and each of its flows may have in flight, what counts as
 * congestion, and how long a reply may take. The engine reports what becomes of each attempt, and
 * asks before it writes one. To use another algorithm, replace pace.c and the two structs below.
 *
 * This algorithm has windows that grow on replies and shrink by the share of losses (window.h),
 * and estimates round trips as RFC 6298 does.
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
	bool pin_window;      /* the window always has that size */
	bool pin_flow_window;
};

/* The pace of an agent: the state that all its flows share. */
struct pace_agent {
	struct window window;
	struct window fresh;	 /* the window of a new flow */
	struct rtt_estimate rtt; /* of the longest round trip in each windowful */
	uint64_t shortest_ns;	 /* the shortest round trip of all */
	uint64_t longest_ns;	 /* the longest round trip of this windowful */
	uint32_t samples;	 /* round trips of this windowful */
};

/* The pace of a flow: the state of the way to one destination. */
struct pace_flow {
	struct window window;
	struct rtt_estimate rtt;
	bool is_silent; /* two attempts of a request had no reply, and no loss was seen since */
};

void pace_agent_open(struct pace_agent *agent, const struct pace_limits *limits);
/* Returns what is known of a new flow of the agent. */
struct pace_flow pace_flow_open(const struct pace_agent *agent);

/* Tell whether one more attempt may be in flight. */
static inline bool pace_agent_admits(const struct pace_agent *agent)
{
	return window_has_room(&agent->window);
}

static inline bool pace_flow_admits(const struct pace_flow *flow)
{
	return window_has_room(&flow->window);
}

/* Counts an attempt that begins, whether the windows admit it or not. */
static inline void pace_sent(struct pace_agent *agent, struct pace_flow *flow)
{
	window_take(&agent->window);
	window_take(&flow->window);
}

/*
 * `pace_in_flight` and `pace_flow_in_flight` return the attempts in flight; `pace_window`, how many
 * an agent may have.
 */
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

/* Takes the round trip of a reply that is known to answer that attempt. */
void pace_measured(struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt_ns);

/*
 * Each attempt that pace_sent() has counted ends by one of these three.
 *
 * `pace_answered` ends an attempt that has its reply. @rtt_ns is its round trip, or 0 if that is
 * not known. @longest_timeout_ns is the longest timeout of any attempt of its request.
 */
void pace_answered(struct pace_agent *agent, struct pace_flow *flow, uint64_t rtt_ns,
		   uint64_t longest_timeout_ns);

/*
 * `pace_silent` ends an attempt without a reply. @was_refused means that the reply was BUSY, or
 * that the device never took the attempt. Returns true if it is not known yet whether the attempt
 * was lost. The caller counts these for each request and passes their number to pace_lost().
 */
bool pace_silent(struct pace_agent *agent, struct pace_flow *flow, bool is_retry, bool was_refused);

/*
 * `pace_withdrawn` ends an attempt that says nothing of the network: it was cancelled, or failed.
 */
void pace_withdrawn(struct pace_agent *agent, struct pace_flow *flow);

/* Counts @attempts as lost, because a later attempt of their request is answered. */
void pace_lost(struct pace_agent *agent, struct pace_flow *flow, unsigned int attempts);

/* Records that a request of the flow has ended, and that its last attempt was not answered. */
void pace_unanswered(struct pace_flow *flow);

/*
 * Returns how long a reply may take, in ns, by the round trips of the agent, and of the flow
 * unless @flow is NULL. Returns 0 before the first round trip.
 */
uint64_t pace_timeout(const struct pace_agent *agent, const struct pace_flow *flow,
		      uint64_t granularity_ns);
/* Does the same, and also counts the round trips of the windowful that is not complete. */
uint64_t pace_timeout_now(const struct pace_agent *agent, const struct pace_flow *flow,
			  uint64_t granularity_ns);

#endif
