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

void play_case(const struct times_case *what, const struct times_changes *changes,
	       struct times_result *result)
{
	uint64_t least = least_time(what, changes);
	struct game game;

	game_open(&game, what, changes, false);
	play(&game, what->work, result);
	result->least_ns = least;
	game_close();
}
