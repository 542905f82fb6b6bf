/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweeps of two programs on two hosts, at once. */
#include "fabric/discovery.h"
#include "game.h"
#include "times_sweep.h"
#include "works.h"
#include "world/programs.h"

/* A program: a ring of its own, and what it has found. */
struct side {
	struct game game;
	const char *ca_name;
	bool is_traced;
	struct times_result result;
};

static void play_side(void *argument)
{
	struct side *side = argument;
	struct madring_agent *agent;
	struct discovery discovery;

	game_open_ring(&side->game, side->ca_name);
	agent = sweep_agent(&side->game, side->game.is_calm);
	game_start(&side->game, side->is_traced ? agent : NULL);
	sweep_run(agent, &discovery);
	side->result.ns = game_elapsed(&side->game);
	sweep_compare(&discovery, &side->result);
	game_count(&side->game, &side->result);
	sweep_end(&discovery);
	game_close_ring(&side->game);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Adds up what two programs have done. Round trips are those of the slower program. */
static void add_up(const struct times_result *a, const struct times_result *b,
		   struct times_result *sum)
{
	*sum = a->ns > b->ns ? *a : *b;
	sum->first_ns = a->ns > b->ns ? b->ns : a->ns;
	sum->sent = a->sent + b->sent;
	sum->replies = a->replies + b->replies;
	sum->retried = a->retried + b->retried;
	sum->timed_out = a->timed_out + b->timed_out;
	sum->found = a->found + b->found;
	sum->real = a->real + b->real;
	sum->is_complete = a->is_complete && b->is_complete;
	sum->in_flight_peak = larger(a->in_flight_peak, b->in_flight_peak);
	sum->entries = a->entries + b->entries;
	world_drops(&sum->drops);
}

void work_two_sweeps(struct game *game, struct times_result *result)
{
	struct side sides[PROGRAMS] = {
		{ .game = *game, .ca_name = "model_0", .is_traced = true },
		{ .game = *game, .ca_name = "model_1" },
	};
	void *arguments[PROGRAMS] = { &sides[0], &sides[1] };

	game_set_faults(game);
	programs_play(play_side, arguments);
	add_up(&sides[0].result, &sides[1].result, result);
	result->least_ns = world_least_time();
}
