/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pace: how many attempts an agent and each of its flows may have in flight. The engine
 * reports what becomes of each attempt, and asks before it writes one. To use another algorithm,
 * replace pace*.c and the two structs below.
 *
 * VL15 has no flow control, so a switch with a full queue drops MADs, those of others included.
 * An agent's window therefore follows the delay and not the losses. Round trips are compared with
 * the shortest one over as many hops; the difference is the time that MADs wait in queues. Each
 * round, the window becomes what carries the same rate with a queue of the allowed length, as in
 * FAST TCP and Vegas. It at most doubles in a round, so that it also starts that way. The allowed
 * queue is a time, as in Swift and LEDBAT. A wide window is allowed less of it than a narrow one,
 * so that two programs come to share a fabric (Swift's scaling by windows). Now and then the
 * window is nearly closed for a round, to see the round trip without a queue (BBR).
 *
 * A loss is no measure of congestion by itself, because cables lose MADs by chance, and nodes are
 * dead. When MADs wait and more is lost than chance explains so far, nearly no queue is allowed
 * for a short trial. What is lost then as well is lost by chance. Otherwise a queue has overflown:
 * a shorter one is allowed from then on, and a longer one is tried again after some time. Where
 * processors are the limit and not the fabric, longer queues are tried, too (pace_probe.c).
 *
 * An attempt that later ones have overtaken does not take a place any more (RACK, RFC 8985): it
 * is lost, or waits at a slow node. Such a node is held to its flow's own window. A flow begins
 * with few attempts, and has more only while that does not make its node slower.
 */
#ifndef MADRING_ENGINE_PACE_H
#define MADRING_ENGINE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rtt.h"

/* Round trips are compared by hops: those of a directed route, or PACE_BY_LID. */
#define PACE_HOPS   65u
#define PACE_BY_LID (PACE_HOPS - 1)

struct pace_limits {
	uint32_t window;      /* the most in flight of an agent */
	uint32_t flow_window; /* the most in flight in one flow */
	uint32_t flow_first;  /* in flight in a new flow */
	bool pin_window;      /* the window always has that size */
	bool pin_flow_window;
	uint64_t queue_ns; /* the longest time that attempts may wait in queues */
};

/* The outcomes of an agent's attempts since some time. */
struct pace_round {
	uint64_t began_at, rtt_sum; /* ns */
	uint64_t waiting_sum;	    /* of the time in queues, ns */
	uint32_t replies;	    /* with a round trip */
	uint32_t longest_ns;	    /* round trip */
	bool was_full;		    /* the window was full */
	bool has_silence;	    /* nothing was heard for longer than any round trip takes */
	bool was_late;		    /* replies were read late */
};

/* The losses of some rounds, which are counted until they tell chance from congestion. */
struct pace_epoch {
	uint64_t began_at; /* attempts that were sent before do not count */
	uint32_t outcomes, losses;
	uint32_t waiting_ns; /* in queues, the longest mean of a round, or of the round before */
	bool waits;	     /* MADs waited in one of these rounds */
};

/* A trial of what is lost where nothing waits. */
struct pace_trial {
	uint32_t share;	  /* of losses that led to it, in 1/1024; 0: there is none now */
	uint32_t less_ns; /* the queue to allow if one has overflown */
};

/* A trial of longer queues. */
struct pace_probe {
	uint64_t ns, before;	  /* of this count; and the mean interval of the last, in 1/16 ns */
	uint32_t replies, rounds; /* of this count */
	uint32_t wait;		  /* rounds before the next try */
	uint8_t doubled;	  /* how often the allowed queue is doubled */
	bool is_trying;
};

/* Holds the times of silences, in which no reply is heard. */
struct pace_silence {
	uint64_t heard_at; /* the last reply, ns; 0: none */
	uint64_t ended_at; /* the last long silence, ns; 0: none */
	bool has_sample;   /* a round trip was measured since then */
	uint32_t rounds;   /* in a row that had a silence of any length */
	bool may_grow;	   /* the window, by the round that ends */
};

/* The pace of an agent: the state that all its flows share. */
struct pace_agent {
	uint32_t size;	    /* how many attempts may be in flight */
	uint32_t in_flight; /* those that take a place */
	uint32_t overtaken; /* those that wait for a reply without a place */
	uint32_t maximum, flow_maximum, flow_first;
	bool pinned, pin_flows;
	bool is_draining; /* .size is small for a round; .undrained is to follow */
	bool has_new_base;
	bool has_waited;       /* a queue was seen, so the window need not double any more */
	uint32_t undrained;    /* the size when not draining */
	uint32_t rounds_since; /* the last draining */
	uint64_t rounds;
	uint64_t answered_sent_at; /* when the latest of all answered attempts was sent, ns */
	struct pace_silence silence;
	struct pace_round round;
	uint32_t last_longest_ns;   /* round trip of the round before */
	uint32_t interval_ns;	    /* between two replies, the mean of the round before */
	uint32_t least_interval_ns; /* of some rounds, with the highest rate */
	uint32_t waiting_ns;	    /* in queues, the mean of the round before */
	uint32_t slowest_ns;	    /* round trip of late, slow nodes included */
	uint32_t median_ns;	    /* of the excess over the shortest round trips */
	uint32_t inherent_ns;	    /* the part of the excess that is no queue */
	uint32_t rounds_over;	    /* rounds in a row whose queue was too long */
	uint32_t allowed_ns;	    /* the time in queues that is allowed */
	uint32_t most_allowed_ns;
	struct pace_epoch epoch;
	struct pace_trial trial;
	struct pace_probe probe;
	uint32_t chance;	     /* the share of attempts lost by chance, in 1/1024 */
	uint32_t lost_share;	     /* what showed congestion last, in 1/1024; 0: it was chance */
	uint32_t clean;		     /* epochs without congestion since the last one */
	uint32_t caution;	     /* how many of them are needed to allow more again */
	uint32_t reordering;	     /* how often something overtaken was answered lately */
	uint32_t base_ns[PACE_HOPS]; /* the shortest round trips; 0: none */
	struct rtt_estimate rtt;     /* of the longest round trip in each round */
};

/* The pace of a flow: the state of the way to one destination. */
struct pace_flow {
	struct rtt_estimate rtt;
	uint64_t rtt_sum;     /* of this round, ns */
	uint32_t base_ns;     /* the shortest round trip; 0: none */
	uint32_t inherent_ns; /* the part of the excess over it that no narrower window shortens */
	uint32_t narrowed_ns; /* the mean round trip that led to a narrower window; 0: none has */
	uint32_t old;	      /* attempts in flight that the wider window has sent */
	uint32_t size;
	uint32_t maximum;
	uint32_t in_flight;	  /* those that take a place */
	uint32_t released;	  /* those that wait for a reply without a place */
	uint16_t replies, losses; /* of this round */
	uint8_t silent;		  /* attempts without a reply since the last reply, at most 255 */
	bool pinned : 1;
	bool was_full : 1;     /* in this round */
	uint64_t silent_since; /* when the first of them was sent, ns */
};

/* pace.c: the agent's part of pace_measured(). */
void pace_agent_measured(struct pace_agent *agent, unsigned int hops, uint64_t rtt_ns,
			 uint64_t now);
/*
 * pace_silence.c: records a reply to an attempt of @sent_at, ns. Returns whether its round trip
 * measures a silence, and is no sample.
 */
bool pace_is_after_silence(struct pace_agent *agent, uint64_t sent_at, uint64_t now);
/* pace_silence.c: tells at the end of a round whether it may make the window wider. */
bool pace_may_grow(struct pace_agent *agent);
/* pace_probe.c: takes a round of @ns ns that ends. */
void pace_probe_round(struct pace_agent *agent, uint64_t ns);

void pace_agent_open(struct pace_agent *agent, const struct pace_limits *limits, uint64_t now);
/* Returns what is known of a new flow of the agent. */
struct pace_flow pace_flow_open(const struct pace_agent *agent);

/* Tell whether one more attempt may be in flight. */
static inline bool pace_agent_admits(const struct pace_agent *agent)
{
	return agent->in_flight < agent->size &&
	       agent->in_flight + agent->overtaken < agent->maximum;
}

static inline bool pace_flow_admits(const struct pace_flow *flow)
{
	return flow->in_flight < flow->size && flow->in_flight + flow->released < flow->maximum;
}

/* Counts an attempt that begins, whether the windows admit it or not. */
static inline void pace_sent(struct pace_agent *agent, struct pace_flow *flow)
{
	agent->round.was_full |= ++agent->in_flight >= agent->size;
	flow->was_full |= ++flow->in_flight >= flow->size;
}

/*
 * `pace_in_flight` and `pace_flow_in_flight` return the attempts in flight, with those that take
 * no place; `pace_window`, how many an agent may have.
 */
static inline uint32_t pace_in_flight(const struct pace_agent *agent)
{
	return agent->in_flight + agent->overtaken;
}

static inline uint32_t pace_flow_in_flight(const struct pace_flow *flow)
{
	return flow->in_flight + flow->released;
}

static inline uint32_t pace_window(const struct pace_agent *agent)
{
	return agent->size;
}

/*
 * `pace_overtaken_after` returns the age at which an attempt without a reply is overtaken, if a
 * later one has its reply, in ns; UINT64_MAX: not known yet.
 * `pace_overtaken` takes the agent's place from an attempt, and `pace_released`, the flow's.
 * Neither is called for a pinned window.
 */
uint64_t pace_overtaken_after(const struct pace_agent *agent);
/* Tells whether an attempt that was sent at @sent_at is overtaken at @now, in ns. */
static inline bool pace_is_overtaken(const struct pace_agent *agent, uint64_t after,
				     uint64_t sent_at, uint64_t now)
{
	uint64_t age = now > sent_at ? now - sent_at : 0;

	/* An attempt is overtaken later if no later one has a reply. */
	return age > after && (agent->answered_sent_at > sent_at || age / 2 > after);
}
static inline void pace_overtaken(struct pace_agent *agent)
{
	agent->in_flight--;
	agent->overtaken++;
}
static inline void pace_released(struct pace_flow *flow)
{
	flow->in_flight--;
	flow->released++;
}

/* The places that an attempt has given up by its end. */
struct pace_place {
	bool overtaken; /* pace_overtaken() was called for it */
	bool released;	/* pace_released() was */
};

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

/* Ends an attempt that pace_sent() has counted. The functions below report what its end says of the
 * network. */
static inline void pace_ended(struct pace_agent *agent, struct pace_flow *flow,
			      struct pace_place place)
{
	if (__builtin_expect(place.overtaken, 0))
		agent->overtaken--;
	else
		agent->in_flight--;
	if (__builtin_expect(place.released, 0))
		flow->released--;
	else
		flow->in_flight--;
}

/* Records a reply of the flow's node. */
static inline void pace_answered(struct pace_flow *flow)
{
	flow->silent = 0;
}

/* Records that an attempt of @sent_at, ns, had no reply in time. */
void pace_silent(struct pace_flow *flow, uint64_t sent_at);

/* Counts an attempt of @sent_at, ns, that was lost, or is not answered by its node. */
void pace_lost(struct pace_agent *agent, uint64_t sent_at);
/* Counts attempts that were lost, because a later one was answered, or that the node refused. */
void pace_flow_lost(struct pace_flow *flow, unsigned int attempts);
/*
 * Records that an attempt of @sent_at, ns, to a node that has answered before has no reply in time.
 * If no later one has a reply either, the whole way is silent, and the window is small until
 * something is heard.
 */
void pace_late(struct pace_agent *agent, uint64_t sent_at);
/* Takes back one pace_lost(), because the attempt's reply has come late. */
void pace_found(struct pace_agent *agent);

/*
 * Returns how long a reply may take, in ns, by the round trips of the agent, and of the flow
 * unless @flow is NULL. Returns 0 before the first round trip.
 */
uint64_t pace_timeout(const struct pace_agent *agent, const struct pace_flow *flow,
		      uint64_t granularity_ns);
/* Does the same, and also counts the round trips of the round that is not complete. */
uint64_t pace_timeout_now(const struct pace_agent *agent, const struct pace_flow *flow,
			  uint64_t granularity_ns);

#endif
