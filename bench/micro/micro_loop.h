/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A closed loop around the engine, without a device: what it writes is remembered, and
 * answered later, so that a number of MADs is always in flight.
 */
#ifndef BENCH_LOOP_H
#define BENCH_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"
#include "pool/pool.h"

#define LOOP_BATCH 64u

/* A request as the other end knows it. */
struct loop_wire {
	uint64_t tid; /* network order */
	uint32_t destination;
};

struct loop {
	struct engine *engine;
	struct pool *pool;
	uint32_t entries;
	uint32_t destinations;
	bool directed;
	bool random_order;
	uint64_t random;
	uint64_t now;
	int agent;
	/* A ring of what is in flight, in the order of writing. */
	struct loop_wire *wire;
	uint32_t wire_first, wire_count;
	struct ib_user_mad *reply[LOOP_BATCH];
	struct ib_user_mad *idle[LOOP_BATCH]; /* requests that came back */
	uint32_t idle_count;
	uint32_t next_destination;
};

struct loop *loop_open(uint32_t entries, bool directed, bool random_order);
/* Closes @loop. Returns what has gone wrong, or NULL. */
const char *loop_close(struct loop *loop);

/* Replies to a batch, handles its completions, and sends and writes as many again. */
uint32_t loop_turn(struct loop *loop);

/* Makes a reply out of what was written. */
void loop_build_reply(const struct loop *loop, struct ib_user_mad *reply,
		      const struct loop_wire *wire);
/* Returns a number below @limit. */
uint32_t loop_random(struct loop *loop, uint32_t limit);

#endif
