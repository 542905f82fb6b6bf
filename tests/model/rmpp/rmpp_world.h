/* SPDX-License-Identifier: BSD-2-Clause */
/* The world of one seed: two ends that speak RMPP, and the network between them. */
#ifndef RMPP_WORLD_H
#define RMPP_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include "rmpp/rmpp.h"
#include "model/common/agenda.h"
#include "model/common/prng.h"
#include "model/common/seeds.h"

#define LANES	   4
#define WINDOW_MAX 64u

struct mad {
	struct ib_user_mad umad;
	uint8_t mad[MADRING_MAD_BYTES];
};

struct scenario {
	uint32_t exchanges;
	size_t longest;	    /* bytes of a message */
	uint64_t pause_ns;  /* between two exchanges, at most */
	uint64_t delay_ns;  /* of a packet, at least */
	uint64_t jitter_ns; /* more, at most: packets overtake each other */
	uint64_t answer_ns; /* from a request to its response, at most */
	/* Chances are in parts per million. */
	uint32_t loss, twice, no_room, write_error, memory_refused, cancel, lane_lost;
	bool whole;	/* each message as long as can be, and all must come */
	bool forgetful; /* tables and lingering are short: a message may come a second time */
};

/* A message on its way from one end to the other. */
enum leg_state { LEG_NONE, LEG_GOING, LEG_ENDED };

struct leg {
	enum leg_state out, in; /* at the end that sends, and at the one that receives */
	uint64_t out_id, in_id;
	int out_status, in_status;
	bool started;	   /* there is a receiver */
	bool disturbed;	   /* canceled, or its lane lost: there may be no outcome */
	uint32_t arrivals; /* messages handed out */
	struct ib_user_mad *message;
	size_t length;
	uint32_t count; /* segments */
	/* The state that the network has delivered, for the checks. */
	uint32_t may_send;   /* the last segment that the sender was told it may */
	uint32_t contiguous; /* segments that have come to the receiver, without a gap */
	bool *has_come;
};

/* A request without a response, or with one that is long, too. */
struct exchange {
	struct leg leg[2];
	bool answered;	   /* it has a response */
	unsigned int from; /* the end that sends the request */
	unsigned int lane;
	uint8_t mgmt_class;
};

struct end {
	struct rmpp *rmpp;
	uint32_t agent_id;
	uint64_t messages, bytes; /* held */
};

struct world {
	uint64_t seed;
	struct prng prng;
	struct scenario scenario;
	struct rmpp_config config;
	uint64_t now;
	uint64_t told_at; /* the last outcome */
	struct end end[2];
	struct exchange *exchange;
	uint32_t started;
	uint64_t next_start;
	struct agenda events;
	bool lane_lost[LANES];
	uint64_t digest; /* of all that was written */
	uint64_t packets, lost, steps;
};

/* Ends the seed, which does not hold, with a message that names the world's time. */
#define fail(world, ...) seeds_fail((world)->now, __VA_ARGS__)

/*
 * Plays @scenario, or with NULL one that the seed draws, until all exchanges have ended and nothing
 * lingers. Returns a digest of what was written, and when.
 */
uint64_t world_play(uint64_t seed, const struct scenario *scenario, bool verbose);

/* rmpp_scenario.c */
void scenario_draw(struct scenario *scenario, struct prng *prng);
void scenario_config(const struct scenario *scenario, struct prng *prng,
		     struct rmpp_config *config);

/* rmpp_exchange.c */
void exchange_start(struct world *world);
/* Returns the leg that a MAD belongs to, whichever end wrote it, and its exchange. */
struct leg *exchange_leg(struct world *world, const uint8_t *mad, struct exchange **exchange);
void exchange_take_outcomes(struct world *world, unsigned int end);
/* Sends the response to a request that has arrived. */
void exchange_respond(struct world *world, struct exchange *exchange);
/* Tells whether a message may begin at @end with this MAD. */
bool exchange_accepts(struct world *world, unsigned int end, const uint8_t *mad);
void exchange_disturb(struct world *world);
void exchange_check_end(struct world *world);
void exchange_free(struct exchange *exchange);

/* rmpp_network.c */
void network_write(struct world *world, unsigned int end);
/* Plays all events that are due. */
void network_deliver(struct world *world);
void network_respond_later(struct world *world, struct exchange *exchange);
void network_close(struct world *world);

#endif
