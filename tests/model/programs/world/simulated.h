/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated driver's state, and the parts of a turn, which its files share. */
#ifndef MODEL_SIMULATED_H
#define MODEL_SIMULATED_H

#include "driver/driver.h"

#include "model/common/prng.h"

/* A write that the engine has handed out, until its end is reported. */
struct write {
	struct engine_write write;
	uint64_t take_at, report_at;
	bool taken;
	int result; /* once it is taken */
};

struct lane_file {
	int fd; /* -1: not open */
	bool lost;
	uint64_t loss_at; /* when the poll tells that the device is gone */
};

struct driver {
	const struct scenario *scenario;
	struct prng prng, check_prng;
	struct engine *engine;
	struct pool *pool;
	uint32_t reads;

	/* The receive buffers: those at hand, and how many of .reads are not. */
	struct madring_mad **free;
	uint32_t free_count, vacant_count;
	uint32_t kept; /* vacant, and nobody is bound to give one back */

	struct lane_file lane[MADRING_MAX_LANES];
	unsigned int lanes, next_lane;

	/*
	 * The writes that wait to be taken or reported, and those whose report is due, each in the
	 * order that they were handed out.
	 */
	struct write *flying, *due;
	size_t flying_count, flying_room, due_count, due_first, due_room;

	int error;
	bool woken, behind;
	uint64_t looked_at; /* when what is being reported was there */
	uint64_t filled_at;
	uint64_t entries;
	unsigned int idle_turns;
	const struct driver_tap *tap;
};

/* simulated_driver.c */
/* Lets virtual time pass until @time, and everything happen that is due by then. */
void play_until(uint64_t time);
void lose_lane(struct driver *driver, unsigned int lane);
/* Fails the seed unless the counts of the driver and of the engine add up. */
void check_invariants(struct driver *driver);

/* simulated_writes.c */
/* Takes from the engine the MADs that it wants written. Returns how many. */
unsigned int fill_writes(struct driver *driver);
void fill_aborts(struct driver *driver);
/*
 * Hands the kernel the writes that are due, or with @all all of them, and puts those whose end is
 * to be reported by now among the due ones.
 */
void take_writes(struct driver *driver, bool all);
/* Returns when the next write is to be taken or reported, or ENGINE_NEVER. */
uint64_t next_of_writes(const struct driver *driver);
size_t count_due(const struct driver *driver);
void report_first_write(struct driver *driver);
/* Reports all writes to a lane, and cancels those that were not taken. */
void cancel_writes(struct driver *driver, unsigned int lane);

/* simulated_turn.c */
/*
 * Reports at most @most completions of writes and reads, in an order that the seed decides. Returns
 * how many there were.
 */
unsigned int report_some(struct driver *driver, unsigned int most);

#endif
