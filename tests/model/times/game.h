/* SPDX-License-Identifier: BSD-2-Clause */
/* The world of a case while it is played, the ring in it, and what is measured. */
#ifndef TIMES_GAME_H
#define TIMES_GAME_H

#include <stdbool.h>
#include <stdint.h>

#include <madring.h>

#include "common/local.h"
#include "play_case.h"
#include "model_scenario.h"

struct game {
	const struct times_case *what;
	const struct times_changes *changes;
	/*
	 * It is played for its least time: with endless queues, without loss, and with one attempt
	 * for each request.
	 */
	bool is_calm;
	struct scenario scenario;
	struct local local;
	struct madring_agent *traced;
	uint64_t start;
	struct madring_stats before;
	struct world_drops drops_before;
	uint16_t sa_lid;
};

/* Opens the world of a case, healthy, without a ring. */
void game_open(struct game *game, const struct times_case *what,
	       const struct times_changes *changes, bool is_calm);
void game_close(void);

/* Opens a ring on the host that has a device, by its name, or with NULL the first. */
void game_open_ring(struct game *game, const char *ca_name);
void game_close_ring(struct game *game);

/* Gives the fabric the faults of the case. */
void game_set_faults(const struct game *game);

/* Begins to measure, and to trace an agent unless it is NULL. */
void game_start(struct game *game, struct madring_agent *traced);

/* Returns the time since game_start(). */
uint64_t game_elapsed(const struct game *game);

/* Fills in what was counted since game_start(). */
void game_count(const struct game *game, struct times_result *result);

/* Returns the least time for what was done since game_start(), of the fabric or of the program. */
uint64_t game_least_time(const struct game *game);

#endif
