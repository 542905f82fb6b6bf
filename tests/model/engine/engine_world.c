/* SPDX-License-Identifier: BSD-2-Clause */
/* The course of one seed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_packet.h"
#include "engine_world.h"

#define MONTH_NS (30ull * 24 * 3600 * 1000000000)

/* The limit of steps in a row in which nothing happens at all. */
#define MOST_IDLE_STEPS 5000

static uint64_t next_instant(const struct world *world)
{
	const struct agenda_item *first = agenda_first(&world->events);
	uint64_t deadline = engine_next_deadline(world->engine);

	return first && first->time < deadline ? first->time : deadline;
}

static void let_time_pass(struct world *world)
{
	const struct scenario *s = &world->scenario;
	uint64_t next = next_instant(world);

	if (prng_chance(&world->prng, s->giant_step))
		world->now += prng_log_range(&world->prng, s->patience_ns, MONTH_NS);
	else if (prng_chance(&world->prng, s->tiny_step))
		world->now += prng_below(&world->prng, s->engine.tick_ns);
	else if (next == ENGINE_NEVER)
		world->now += s->engine.tick_ns;
	else if (next > world->now)
		world->now = next;
	if (prng_chance(&world->prng, 50000))
		world->now += prng_below(&world->prng, s->patience_ns);
}

static void advance(struct world *world)
{
	/* The engine may receive MADs before it is told the time. */
	engine_advance(world->engine, world->advanced_at);
	engine_advance(world->engine, world->now);
	world->advanced_at = world->now;
	ledger_advance(&world->ledger, world->now);
	checks_deadline(world);
}

/* Recounts the engine; a large one, which takes long, only now and then. */
static void check_invariants(const struct world *world)
{
	if (world->scenario.engine.transactions <= 128 || world->steps % 64 == 0)
		engine_check(world->engine);
}

static void step(struct world *world)
{
	const struct scenario *s = &world->scenario;
	bool advance_first = prng_chance(&world->prng, 500000);
	bool skip = prng_chance(&world->prng, s->skip_advance);

	world->steps++;
	caller_act(world);
	kernel_take_writes(world);
	let_time_pass(world);
	if (advance_first && !skip)
		advance(world);
	kernel_deliver(world);
	if (!advance_first && !skip)
		advance(world);
	kernel_abort_writes(world);
	checks_counts(world);
	check_invariants(world);
	if (prng_chance(&world->prng, s->skip_drain))
		outcomes_take(world, (unsigned int)prng_range(&world->prng, 1, 3));
	else
		outcomes_take(world, 0);
	checks_counts(world);
	check_invariants(world);
}

static uint64_t progress_of(const struct world *world)
{
	return world->tally.accepted + world->tally.writes + world->tally.received +
	       world->ledger.handed_out;
}

/* Plays until the caller has sent what it wanted to. */
static void play(struct world *world)
{
	const struct scenario *s = &world->scenario;
	uint64_t before = 0;
	unsigned int idle = 0;

	while (world->tally.accepted < s->requests && world->tally.writes < s->writes &&
	       idle < MOST_IDLE_STEPS) {
		step(world);
		idle = progress_of(world) == before ? idle + 1 : 0;
		before = progress_of(world);
	}
}

static void begin_ending(struct world *world)
{
	world->ending = true;
	if (world->scenario.ending == ENDING_DRAIN)
		return;
	for (uint64_t steps = prng_below(&world->prng, 20); steps; steps--)
		step(world);
	if (world->scenario.ending == ENDING_SHUTDOWN) {
		caller_shut_down(world);
		return;
	}
	for (unsigned int lane = 0; lane < world->scenario.engine.lanes; lane++)
		caller_lose_lane(world, lane);
}

static void drain(struct world *world)
{
	unsigned int idle = 0;

	while (world->ledger.opens) {
		uint64_t before = progress_of(world);

		step(world);
		idle = progress_of(world) == before ? idle + 1 : 0;
		if (idle == MOST_IDLE_STEPS / 2 || world->tally.writes > 2 * world->scenario.writes)
			caller_cancel_all(world); /* those that wait for ever */
		if (idle == MOST_IDLE_STEPS)
			fail(world, "%u transactions never complete", world->ledger.opens);
	}
}

/* Delivers what is still under way in the network, too late for all. */
static void deliver_the_rest(struct world *world)
{
	const struct agenda_item *first;

	while ((first = agenda_first(&world->events))) {
		if (first->time > world->now)
			world->now = first->time;
		kernel_deliver(world);
	}
}

static void report(const struct world *world)
{
	const struct tally *t = &world->tally;

	printf("seed %" PRIu64 ": %" PRIu64 " transactions, %" PRIu64 " steps, %" PRIu64
	       " writes, %" PRIu64 " read; "
	       "%" PRIu64 " answered (%" PRIu64 " late), %" PRIu64 " written, %" PRIu64
	       " timed out, %" PRIu64 " canceled, "
	       "%" PRIu64 " failed, %" PRIu64 " without device; "
	       "%" PRIu64 " unmatched, %" PRIu64 " unsolicited, %" PRIu64 " malformed, %" PRIu64
	       " notices\n",
	       world->seed, t->accepted, world->steps, t->writes, t->received, t->replies, t->late,
	       t->written, t->timed_out, t->canceled, t->failed, t->device_gone, t->unmatched,
	       t->unsolicited, t->malformed, t->notices);
}

void world_play(uint64_t seed, bool verbose)
{
	struct world world = { .seed = seed };
	int error;

	prng_seed(&world.prng, seed);
	scenario_draw(&world.scenario, &world.prng);
	world.now = world.scenario.engine.now;
	world.advanced_at = world.now;
	error = engine_open(&world.engine, &world.scenario.engine);
	if (error)
		fail(&world, "the engine does not open: %d", error);
	caller_open(&world);
	play(&world);
	begin_ending(&world);
	drain(&world);
	deliver_the_rest(&world);
	checks_end(&world);
	if (verbose)
		report(&world);
	kernel_close(&world);
	engine_close(world.engine);
	ledger_free(&world.ledger);
	free(world.holding.mad);
	caller_close(&world);
}
