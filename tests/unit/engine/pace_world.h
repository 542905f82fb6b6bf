/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A world for tests of the pace alone, in virtual time: programs that send whenever their pace
 * admits it, one server that all share, whose queue has some places, and nodes behind it.
 */
#ifndef TEST_PACE_WORLD_H
#define TEST_PACE_WORLD_H

#include "pace/pace_parts.h"
#include "model/common/agenda.h"
#include "model/common/prng.h"

#define US 1000ull
#define MS 1000000ull

#define WORLD_AGENTS 2u
/* An agent's later attempts use the places of its earlier ones, which have ended by then. */
#define WORLD_ATTEMPTS 65536u

struct world_attempt {
	uint64_t sent_at;
	unsigned int hops;
	bool is_over, is_lost;
	struct pace_place place;
};

/* A program on a host of its own: one agent, whose only flow has no window of its own. */
struct world_program {
	struct pace_agent agent;
	struct pace_flow flow;
	uint32_t most; /* attempts in flight that the program wants; 0: it sends nothing */
	uint64_t sent, answered, dropped;
	uint64_t first; /* the oldest attempt that may have a place; they count from 0 */
	struct world_attempt attempt[WORLD_ATTEMPTS];
};

struct world {
	uint64_t now;
	struct prng prng;
	struct agenda events; /* tag: the attempt, of the program that is .what */
	uint64_t base_ns;     /* the round trip without a queue, and without the server's time */
	uint64_t service_ns;
	uint32_t room;	   /* MADs that the queue has room for */
	uint32_t lost_ppm; /* share of the attempts that are lost by chance */
	uint32_t slow_ppm; /* share of the nodes that take .slow_ns more */
	uint64_t slow_ns;
	unsigned int
		most_hops; /* the routes have 1 to so many hops, by which they take no longer */
	uint64_t idle_at;
	struct world_program program[WORLD_AGENTS];
};

/* Opens a world of one program with nodes that are alike, no losses, and a queue without end. */
struct world *world_open(uint64_t base_ns, uint64_t service_ns);
void world_close(struct world *world);
/* Opens the pace of a program, which then sends as much as that admits. */
void world_begin(struct world *world, struct world_program *program,
		 const struct pace_limits *limits);
/* Returns the limits of a program that allows a queue of 200 us. */
struct pace_limits world_limits(void);
/* Goes on to the next event. */
void world_step(struct world *world);
void world_run(struct world *world, uint64_t ns);

#endif
