/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmocka_all.h"

#include <stdlib.h>

#include "pace_world.h"

#define TIMEOUT_NS (25 * MS)

struct pace_limits world_limits(void)
{
	return (struct pace_limits){
		.window = 16384,
		.flow_window = 16384,
		.pin_flow_window = true,
		.queue_ns = 200 * US,
	};
}

struct world *world_open(uint64_t base_ns, uint64_t service_ns)
{
	struct world *world = calloc(1, sizeof(*world));

	assert_non_null(world);
	world->now = MS;
	world->base_ns = base_ns;
	world->service_ns = service_ns;
	world->room = UINT32_MAX;
	world->most_hops = 1;
	prng_seed(&world->prng, 1);
	return world;
}

void world_close(struct world *world)
{
	agenda_free(&world->events);
	free(world);
}

void world_begin(struct world *world, struct world_program *program,
		 const struct pace_limits *limits)
{
	pace_agent_open(&program->agent, limits, world->now);
	program->flow = pace_flow_open(&program->agent);
	program->most = UINT32_MAX;
}

/* Returns when the server has served a MAD that is sent now; UINT64_MAX: its queue is full. */
static uint64_t served_at(struct world *world)
{
	uint64_t arrives_at = world->now + world->base_ns / 2;

	if (world->idle_at < arrives_at)
		world->idle_at = arrives_at;
	if (world->idle_at - arrives_at > world->room * world->service_ns)
		return UINT64_MAX;
	world->idle_at += world->service_ns;
	return world->idle_at;
}

static void send_one(struct world *world, struct world_program *program)
{
	uint64_t number = program->sent++;
	struct world_attempt *attempt = &program->attempt[number % WORLD_ATTEMPTS];
	uint64_t ends_at;

	assert_true(number < WORLD_ATTEMPTS || attempt->is_over);
	pace_sent(&program->agent, &program->flow);
	*attempt = (struct world_attempt){
		.sent_at = world->now,
		.hops = 1 + (unsigned int)prng_below(&world->prng, world->most_hops),
	};
	ends_at = served_at(world);
	program->dropped += ends_at == UINT64_MAX;
	attempt->is_lost = prng_chance(&world->prng, world->lost_ppm) || ends_at == UINT64_MAX;
	if (attempt->is_lost)
		ends_at = world->now + TIMEOUT_NS;
	else
		ends_at += world->base_ns - world->base_ns / 2;
	if (!attempt->is_lost && prng_chance(&world->prng, world->slow_ppm))
		ends_at += world->slow_ns;
	agenda_put(&world->events, ends_at, program, number % WORLD_ATTEMPTS);
}

static bool wants_to_send(const struct world_program *program)
{
	return program->most && pace_admits(&program->agent.window) &&
	       pace_in_flight(&program->agent.window) < program->most;
}

/* Lets the programs send in turn. */
static void send_all(struct world *world)
{
	bool has_sent = true;

	while (has_sent) {
		has_sent = false;
		for (unsigned int i = 0; i < WORLD_AGENTS; i++) {
			if (!wants_to_send(&world->program[i]))
				continue;
			send_one(world, &world->program[i]);
			has_sent = true;
		}
	}
}

static void end_attempt(struct world *world, struct world_program *program, uint64_t number)
{
	struct world_attempt *attempt = &program->attempt[number];

	attempt->is_over = true;
	if (!attempt->is_lost) {
		pace_measured(&program->agent, &program->flow, attempt->hops,
			      world->now - attempt->sent_at, world->now);
		pace_answered(&program->flow);
		program->answered++;
	} else if (!attempt->place.overtaken) {
		pace_lost(&program->agent, attempt->sent_at);
	}
	pace_ended(&program->agent, &program->flow, attempt->place);
}

/* Returns the oldest attempt with a place, or NULL. */
static struct world_attempt *first_with_place(struct world_program *program)
{
	while (program->first < program->sent) {
		struct world_attempt *first = &program->attempt[program->first % WORLD_ATTEMPTS];

		if (!first->is_over && !first->place.overtaken)
			return first;
		program->first++;
	}
	return NULL;
}

/* Returns when the oldest attempt of a program is overtaken. */
static uint64_t overtaken_at(struct world_program *program)
{
	const struct world_attempt *first = first_with_place(program);

	if (!first || program->agent.limits.pin_window)
		return UINT64_MAX;
	return pace_overtaken_at(&program->agent, first->sent_at);
}

static void take_overtaken(struct world *world, struct world_program *program)
{
	while (overtaken_at(program) <= world->now) {
		struct world_attempt *first = first_with_place(program);

		first->place.overtaken = true;
		pace_yield(&program->agent.window);
		/* The engine does not count what may still come from a slow node. */
		if (first->is_lost)
			pace_lost(&program->agent, first->sent_at);
	}
}

void world_step(struct world *world)
{
	struct agenda_item item;
	uint64_t next;

	send_all(world);
	assert_non_null(agenda_first(&world->events));
	next = agenda_first(&world->events)->time;
	for (unsigned int i = 0; i < WORLD_AGENTS; i++) {
		uint64_t at = overtaken_at(&world->program[i]);

		next = at < next ? at : next;
	}
	if (next > world->now)
		world->now = next;
	if (agenda_take(&world->events, world->now, &item))
		end_attempt(world, item.what, item.tag);
	for (unsigned int i = 0; i < WORLD_AGENTS; i++)
		take_overtaken(world, &world->program[i]);
}

void world_run(struct world *world, uint64_t ns)
{
	uint64_t until = world->now + ns;

	while (world->now < until)
		world_step(world);
}
