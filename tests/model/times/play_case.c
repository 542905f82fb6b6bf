/* SPDX-License-Identifier: BSD-2-Clause */
#include "play_case.h"

#include "game.h"
#include "works.h"

static void play(struct game *game, enum times_work work, struct times_result *result)
{
	static void (*const works[])(struct game *, struct times_result *) = {
		[WORK_SWEEP] = work_sweep,
		[WORK_COLLECTION] = work_collection,
		[WORK_LISTENING] = work_listening,
		[WORK_QUERIES] = work_queries,
	};

	*result = (struct times_result){ 0 };
	if (work == WORK_TWO_SWEEPS) { /* each has a ring of its own */
		work_two_sweeps(game, result);
		return;
	}
	game_open_ring(game, NULL);
	works[work](game, result);
	game_count(game, result);
	if (!result->least_ns)
		result->least_ns = game_least_time(game);
	game_close_ring(game);
}

/* Returns the least time of a work, for the MADs that are needed. A game that loses none tells. */
static uint64_t least_time_of(const struct times_case *what, const struct times_changes *changes,
			      enum times_work work)
{
	struct times_result result;
	struct game game;

	game_open(&game, what, changes, true);
	play(&game, work, &result);
	game_close();
	return result.least_ns;
}

static uint64_t least_time(const struct times_case *what, const struct times_changes *changes)
{
	if (what->work != WORK_LISTENING)
		return least_time_of(what, changes, what->work);
	return least_time_of(what, changes, WORK_SWEEP) +
	       least_time_of(what, changes, WORK_COLLECTION);
}

/* Adds a result to those of other seeds. Times that are no sums stay those of the last seed. */
static void add(struct times_result *sum, const struct times_result *one)
{
	struct times_result added = *one;

	added.ns += sum->ns;
	added.first_ns += sum->first_ns;
	added.worst_ns = one->ns > sum->worst_ns ? one->ns : sum->worst_ns;
	added.sent += sum->sent;
	added.replies += sum->replies;
	added.retried += sum->retried;
	added.timed_out += sum->timed_out;
	added.drops.full += sum->drops.full;
	added.drops.lost += sum->drops.lost;
	added.drops.local += sum->drops.local;
	added.drops.other += sum->drops.other;
	added.found += sum->found;
	added.real += sum->real;
	added.is_complete = sum->is_complete && one->is_complete;
	if (sum->in_flight_peak > one->in_flight_peak)
		added.in_flight_peak = sum->in_flight_peak;
	added.entries += sum->entries;
	*sum = added;
}

/* Rounds up, so that a single drop of all seeds is seen. */
static uint64_t mean(uint64_t sum, unsigned int seeds)
{
	return (sum + seeds - 1) / seeds;
}

static void divide(struct times_result *sum, unsigned int seeds)
{
	sum->ns = mean(sum->ns, seeds);
	sum->first_ns = mean(sum->first_ns, seeds);
	sum->sent = mean(sum->sent, seeds);
	sum->replies = mean(sum->replies, seeds);
	sum->retried = mean(sum->retried, seeds);
	sum->timed_out = mean(sum->timed_out, seeds);
	sum->drops.full = mean(sum->drops.full, seeds);
	sum->drops.lost = mean(sum->drops.lost, seeds);
	sum->drops.local = mean(sum->drops.local, seeds);
	sum->drops.other = mean(sum->drops.other, seeds);
	sum->entries = mean(sum->entries, seeds);
}

static void play_seed(const struct times_case *what, const struct times_changes *changes,
		      struct times_result *result)
{
	struct game game;

	game_open(&game, what, changes, false);
	play(&game, what->work, result);
	game_close();
}

void play_case(const struct times_case *what, const struct times_changes *changes,
	       struct times_result *result)
{
	unsigned int seeds = changes->seeds ? changes->seeds : what->seeds ? what->seeds : 1;
	struct times_changes seed = *changes;
	struct times_result one;

	*result = (struct times_result){ .is_complete = true };
	for (unsigned int i = 0; i < seeds; i++, seed.seed++) {
		play_seed(what, &seed, &one);
		add(result, &one);
	}
	divide(result, seeds);
	result->least_ns = least_time(what, changes);
}
