/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of madring's own pace. pace.h includes this file, because the engine holds the structs.
 * Only pace_*.c read its fields, but for the windows.
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
#ifndef MADRING_PACE_STATE_H
#define MADRING_PACE_STATE_H

#include "base/rtt.h"

/* The outcomes of an agent's attempts since some time. */
struct pace_round {
	uint64_t began_at, rtt_sum; /* ns */
	uint64_t waiting_sum;	    /* of the time in queues, ns */
	uint32_t replies;	    /* with a round trip */
	uint32_t longest_ns;	    /* round trip */
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
	uint8_t doubled;	  /* the number of times that the allowed queue was doubled */
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
	struct pace_window window;
	struct pace_limits limits;
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
	struct pace_window window;
	struct rtt_estimate rtt;
	uint64_t rtt_sum;     /* of this round, ns */
	uint32_t base_ns;     /* the shortest round trip; 0: none */
	uint32_t inherent_ns; /* the part of the excess over it that no narrower window shortens */
	uint32_t narrowed_ns; /* the mean round trip that led to a narrower window; 0: none has */
	uint32_t old;	      /* attempts in flight that the wider window has sent */
	uint16_t replies, losses; /* of this round */
	uint8_t silent;		  /* attempts without a reply since the last reply, at most 255 */
	uint64_t silent_since;	  /* when the first of them was sent, ns */
};

#endif
