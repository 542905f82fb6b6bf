/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a world from one event to the next. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/common/must_alloc.h"
#include "rmpp_world.h"

#define MOST_STEPS 20000000u

/* The world that the two ends' callbacks belong to. */
static struct world *current;

static struct ib_user_mad *take(void *context, size_t bytes)
{
	struct end *end = context;

	if (prng_chance(&current->prng, current->scenario.memory_refused))
		return NULL;
	if (bytes > current->config.message_limit && bytes > MADRING_MAD_BYTES)
		fail(current, "%zu bytes are asked for, and the limit is %zu", bytes,
		     current->config.message_limit);
	end->messages++;
	return must_alloc(sizeof(struct ib_user_mad) + bytes);
}

static void give(void *context, struct ib_user_mad *message)
{
	struct end *end = context;

	end->messages--;
	free(message);
}

static void world_open(struct world *world, uint64_t seed, const struct scenario *scenario)
{
	*world = (struct world){ .seed = seed };
	prng_seed(&world->prng, seed);
	if (scenario)
		world->scenario = *scenario;
	else
		scenario_draw(&world->scenario, &world->prng);
	scenario_config(&world->scenario, &world->prng, &world->config);
	world->config.memory = (struct rmpp_memory){ .take = take, .give = give };
	world->exchange = must_alloc(world->scenario.exchanges * sizeof(*world->exchange));
	for (unsigned int end = 0; end < 2; end++) {
		world->end[end].agent_id = 5 + end;
		world->config.memory.context = &world->end[end];
		if (rmpp_open(&world->end[end].rmpp, &world->config))
			fail(world, "it does not open");
	}
	current = world;
}

static uint64_t next_time(const struct world *world)
{
	const struct agenda_item *first = agenda_first(&world->events);
	uint64_t next = first ? first->time : UINT64_MAX;

	for (unsigned int end = 0; end < 2; end++) {
		uint64_t deadline = rmpp_next_deadline(world->end[end].rmpp);

		if (deadline < next)
			next = deadline;
	}
	if (world->started < world->scenario.exchanges && world->next_start < next)
		next = world->next_start;
	return next;
}

static void start_some(struct world *world)
{
	while (world->started < world->scenario.exchanges && world->next_start <= world->now) {
		exchange_start(world);
		world->next_start =
			world->now + prng_below(&world->prng, world->scenario.pause_ns + 1);
	}
}

static void step(struct world *world)
{
	if (world->steps++ > MOST_STEPS)
		fail(world, "it never ends");
	start_some(world);
	exchange_disturb(world);
	network_deliver(world);
	for (unsigned int end = 0; end < 2; end++) {
		rmpp_advance(world->end[end].rmpp, world->now);
		if (rmpp_next_deadline(world->end[end].rmpp) <= world->now)
			fail(world, "a timer is left behind");
		exchange_take_outcomes(world, end);
		network_write(world, end);
		/* If frames have run out, their reports bring them back. */
		exchange_take_outcomes(world, end);
	}
	/* Recounting takes long, so it is done seldom. */
	for (unsigned int end = 0; end < 2 && world->steps % 16 == 0; end++)
		rmpp_check(world->end[end].rmpp);
}

/* Gives up requests whose replies never come: they would wait for ever. */
static void forget_unanswered(struct world *world)
{
	for (uint32_t i = 0; i < world->started; i++) {
		const struct exchange *exchange = &world->exchange[i];

		rmpp_forget(world->end[exchange->from].rmpp, exchange->leg[0].out_id);
	}
}

static void report(const struct world *world)
{
	const struct rmpp_stats *a = rmpp_stats(world->end[0].rmpp);
	const struct rmpp_stats *b = rmpp_stats(world->end[1].rmpp);

	printf("seed %" PRIu64 ": %u exchanges in %.6f s, %" PRIu64 " packets, %" PRIu64 " lost; "
	       "%" PRIu64 " messages sent, %" PRIu64 " not; %" PRIu64 " received, %" PRIu64
	       " not; %" PRIu64 " segments, %" PRIu64 " again, %" PRIu64 " in vain; %" PRIu64
	       " ACKs, %" PRIu64 " refusals\n",
	       world->seed, world->started, (double)(world->told_at - world->config.now) / 1e9,
	       world->packets, world->lost, a->sent + b->sent, a->send_failed + b->send_failed,
	       a->received + b->received, a->receive_failed + b->receive_failed,
	       a->segments + b->segments, a->resent + b->resent, a->repeated_in + b->repeated_in,
	       a->acks + b->acks, a->refusals + b->refusals);
}

static void world_close(struct world *world)
{
	for (unsigned int end = 0; end < 2; end++)
		rmpp_close(world->end[end].rmpp);
	for (uint32_t i = 0; i < world->started; i++)
		exchange_free(&world->exchange[i]);
	free(world->exchange);
	network_close(world);
}

uint64_t world_play(uint64_t seed, const struct scenario *scenario, bool verbose)
{
	struct world world;
	uint64_t next;

	world_open(&world, seed, scenario);
	do {
		step(&world);
		next = next_time(&world);
		if (next != UINT64_MAX && next > world.now)
			world.now = next;
	} while (next != UINT64_MAX);
	forget_unanswered(&world);
	exchange_check_end(&world);
	if (verbose)
		report(&world);
	world_close(&world);
	return world.digest;
}
