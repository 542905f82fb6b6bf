/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pace: how many attempts an agent and each of its flows may have in flight, and how long they
 * wait for a reply. The engine reads the windows. It reports what becomes of each attempt, and asks
 * before it writes one. Another algorithm has a pace_state.h of its own with `struct pace_agent`
 * and `struct pace_flow`, each of which begins with `.window`, and defines the functions that are
 * not inline here. tests/model/aimd is one.
 */
#ifndef MADRING_PACE_H
#define MADRING_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Round trips are compared by hops: those of a directed route, or PACE_BY_LID. */
#define PACE_HOPS   65u
#define PACE_BY_LID (PACE_HOPS - 1)

struct pace_limits {
	uint32_t window;      /* the most in flight of an agent */
	uint32_t flow_window; /* the most in flight in one flow */
	uint32_t flow_first;  /* in flight in a new flow */
	bool pin_window;      /* the window always has that size */
	bool pin_flow_window;
	bool is_careful;   /* no request is repeated early */
	uint64_t queue_ns; /* the longest time that attempts may wait in queues */
	uint64_t first_timeout_ns, min_timeout_ns, max_timeout_ns;
	uint64_t tick_ns; /* the granularity of timeouts */
};

/* The window of an agent, or of a flow, and the places in it. */
struct pace_window {
	uint32_t size;	    /* how many attempts may be in flight */
	uint32_t maximum;   /* the most, with those that take no place */
	uint32_t in_flight; /* those that take a place */
	uint32_t placeless; /* those that wait for a reply without a place */
	bool was_full;	    /* no place was left, since the pace last looked */
};

#include "pace/pace_state.h"

void pace_agent_open(struct pace_agent *agent, const struct pace_limits *limits, uint64_t now);
/* Returns what is known of a new flow of the agent. */
struct pace_flow pace_flow_open(const struct pace_agent *agent);

/* Tells whether one more attempt may be in flight. */
static inline bool pace_admits(const struct pace_window *window)
{
	return window->in_flight < window->size &&
	       window->in_flight + window->placeless < window->maximum;
}

/* Returns the attempts in flight, with those that take no place. */
static inline uint32_t pace_in_flight(const struct pace_window *window)
{
	return window->in_flight + window->placeless;
}

/* Counts an attempt that begins, whether the windows admit it or not. */
static inline void pace_sent(struct pace_agent *agent, struct pace_flow *flow)
{
	agent->window.was_full |= ++agent->window.in_flight >= agent->window.size;
	flow->window.was_full |= ++flow->window.in_flight >= flow->window.size;
}

/* Takes the place from an attempt, which goes on waiting for its reply. */
static inline void pace_yield(struct pace_window *window)
{
	window->in_flight--;
	window->placeless++;
}

/* The places that an attempt has given up by its end, and what the pace knows of it. */
struct pace_place {
	bool overtaken; /* that in its agent's window */
	bool released;	/* that in its flow's window */
	bool is_counted_lost;
};

/*
 * Ends an attempt that pace_sent() has counted. The functions below report what its end says of the
 * network.
 */
static inline void pace_ended(struct pace_agent *agent, struct pace_flow *flow,
			      struct pace_place place)
{
	if (__builtin_expect(place.overtaken, 0))
		agent->window.placeless--;
	else
		agent->window.in_flight--;
	if (__builtin_expect(place.released, 0))
		flow->window.placeless--;
	else
		flow->window.in_flight--;
}

/*
 * Takes the round trip of a reply that is known to answer that attempt, over a directed route of
 * @hops hops, or PACE_BY_LID.
 */
void pace_measured(struct pace_agent *agent, struct pace_flow *flow, unsigned int hops,
		   uint64_t rtt_ns, uint64_t now);
/*
 * Records a reply to an attempt of @sent_at, ns, that was read late, so that its round trip is not
 * known.
 */
void pace_heard_late(struct pace_agent *agent, uint64_t sent_at, uint64_t now);
/* Records a reply of the flow's node. */
void pace_answered(struct pace_flow *flow);
/* Counts attempts that were lost, because a later one was answered, or that the node refused. */
void pace_flow_lost(struct pace_flow *flow, unsigned int attempts);
/* Takes back the loss of an attempt, because its reply has come late. */
void pace_found(struct pace_agent *agent);

/* An attempt without a reply. */
struct pace_attempt {
	uint64_t sent_at; /* ns */
	bool is_retry;
	struct pace_place place;
};

/* Records that an attempt had no reply in time. */
void pace_unanswered(struct pace_agent *agent, struct pace_flow *flow,
		     const struct pace_attempt *attempt);

/*
 * Takes the agent's place from an attempt that is overtaken at @now, and maybe the flow's.
 * @is_dead: patience with the flow's node has ended. Returns the places that the attempt has given
 * up. It is not called for a pinned window.
 */
struct pace_place pace_overtake(struct pace_agent *agent, struct pace_flow *flow,
				const struct pace_attempt *attempt, bool is_dead, uint64_t now);
/*
 * Returns the time before which attempts must have been sent to be overtaken at @now, if they have
 * no reply, in ns; 0: none is.
 */
uint64_t pace_overtaken_before(const struct pace_agent *agent, uint64_t now);
/*
 * Returns the time at which an attempt of @sent_at is overtaken if nothing is heard until then, in
 * ns; UINT64_MAX: not known yet.
 */
uint64_t pace_overtaken_at(const struct pace_agent *agent, uint64_t sent_at);

/*
 * Returns the timeout of a first attempt in @flow, or in a new flow if that is NULL, in ns. It is
 * within the limits.
 */
uint64_t pace_timeout(const struct pace_agent *agent, const struct pace_flow *flow);
/* Does the same, and also counts the round trips of the round that is not complete. */
uint64_t pace_timeout_now(const struct pace_agent *agent, const struct pace_flow *flow);

/* Returns for how long the flow's node has not answered, in ns; 0: it owes no reply. */
uint64_t pace_silence(const struct pace_flow *flow, uint64_t now);

#endif
