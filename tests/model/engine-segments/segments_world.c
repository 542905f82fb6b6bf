/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a world from one event to the next. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/common/must_alloc.h"
#include "segments_world.h"

#define MOST_STEPS 5000000u

#define MS 1000000ull

struct ib_user_mad *buffer_new(void *world, size_t mad_bytes)
{
	((struct world *)world)->buffers++;
	return must_alloc(sizeof(struct ib_user_mad) + mad_bytes);
}

void buffer_free(void *world, struct ib_user_mad *umad)
{
	((struct world *)world)->buffers--;
	free(umad);
}

struct rmpp_config world_rmpp_config(struct world *world)
{
	return (struct rmpp_config){
		.message_limit = 1 << 20,
		.first_timeout_ns = 100 * MS,
		.min_timeout_ns = 20 * MS,
		.max_timeout_ns = 1000 * MS,
		.retries = 8,
		.idle_ns = 12000 * MS,
		.total_ns = RMPP_NEVER,
		.linger_ns = 12000 * MS,
		.tick_ns = MS,
		.seed = world->seed,
		.now = world->now,
		.memory = { .take = buffer_new, .give = buffer_free, .context = world },
	};
}

static uint32_t exchanges_in_all(const struct world *world)
{
	return world->scenario.requests + world->scenario.calls;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t next_time(const struct world *world)
{
	const struct agenda_item *first = agenda_first(&world->events);
	uint64_t next = first ? first->time : UINT64_MAX;

	next = earlier(next, engine_next_deadline(world->engine));
	next = earlier(next, rmpp_next_deadline(world->far));
	if (world->exchanges < exchanges_in_all(world))
		next = earlier(next, world->next_start);
	return next;
}

static void start_some(struct world *world)
{
	while (world->exchanges < exchanges_in_all(world) && world->next_start <= world->now) {
		caller_start(world);
		world->next_start =
			world->now + prng_below(&world->prng, world->scenario.pause_ns + 1);
	}
}

static void step(struct world *world)
{
	if (world->steps++ > MOST_STEPS)
		fail(world, "it never ends");
	start_some(world);
	caller_disturb(world);
	network_deliver(world);
	/* The engine may receive MADs before it is told the time. */
	engine_advance(world->engine, world->advanced_at);
	engine_advance(world->engine, world->now);
	world->advanced_at = world->now;
	if (engine_next_deadline(world->engine) <= world->now)
		fail(world, "a timer is left behind");
	rmpp_advance(world->far, world->now);
	nodes_work(world);
	caller_take(world);
	kernel_write(world);
	caller_take(world);
	if (world->steps % 16 == 0)
		engine_check(world->engine);
}

static void report(const struct world *world)
{
	const struct engine_stats *stats = engine_stats(world->engine);
	const struct rmpp_stats *rmpp = engine_rmpp_stats(world->engine);

	printf("seed %" PRIu64 ": %u exchanges, %" PRIu64 " completed, %" PRIu64
	       " answered; %" PRIu64 " MADs written, %" PRIu64 " read, %" PRIu64
	       " dropped by the kernel, %" PRIu64 " refused; %" PRIu64 " messages sent, %" PRIu64
	       " not, %" PRIu64 " received, %" PRIu64 " not; %" PRIu64 " requests; %" PRIu64
	       " retried, %" PRIu64 " late, %" PRIu64 " timed out, %" PRIu64 " canceled\n",
	       world->seed, world->exchanges, world->completed, world->answered, stats->sent,
	       stats->received, world->dropped_by_kernel, world->duplicates, rmpp->sent,
	       rmpp->send_failed, rmpp->received, rmpp->receive_failed, stats->requests,
	       stats->retried, stats->late_replies, stats->timed_out, stats->canceled);
}

static void world_close(struct world *world)
{
	rmpp_close(world->far);
	for (uint32_t i = 0; i < world->exchanges; i++) {
		free(world->exchange[i].request);
		free(world->exchange[i].response);
	}
	free(world->exchange);
	while (world->sending) {
		struct sending *next = world->sending->next;

		free(world->sending);
		world->sending = next;
	}
	network_close(world);
	engine_close(world->engine);
}

uint64_t world_play(uint64_t seed, bool verbose)
{
	struct world world = { .seed = seed };
	uint64_t next;

	prng_seed(&world.prng, seed);
	scenario_draw(&world.scenario, &world.prng);
	world.now = world.scenario.engine.now;
	world.advanced_at = world.now;
	world.next_start = world.now;
	world.exchange = must_alloc(exchanges_in_all(&world) * sizeof(*world.exchange));
	caller_open(&world);
	nodes_open(&world);
	do {
		step(&world);
		next = next_time(&world);
		if (next != UINT64_MAX && next > world.now)
			world.now = next;
	} while (next != UINT64_MAX);
	caller_check_end(&world);
	if (verbose)
		report(&world);
	world_close(&world);
	return world.digest;
}
