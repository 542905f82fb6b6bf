/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a case in a world of its own, and tells what came of it. */
#ifndef TIMES_PLAY_CASE_H
#define TIMES_PLAY_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cases.h"
#include "world/world.h"

/* The changes that the command line makes to a case. */
struct times_changes {
	uint64_t seed;
	unsigned int seeds;   /* that are played, from .seed on; 0: as many as the case says */
	uint32_t window;      /* pinned; 0: the library's own */
	const char **setting; /* "NAME=VALUE" */
	size_t setting_count;
	uint64_t turn_ns, mad_ns; /* the program's own time, in a turn and for a MAD */
	uint64_t trace_ns;	  /* the period of the lines of a trace; 0: no trace */
};

/* The mean of all seeds, unless it says otherwise. */
struct times_result {
	/*
	 * The time of the work; of listening, of its longest round; of two sweeps, of the longer
	 * one; of queries, of the last answer.
	 */
	uint64_t ns;
	uint64_t first_ns; /* the shorter of two sweeps */
	uint64_t worst_ns; /* of all seeds */
	uint64_t least_ns; /* that it needs without loss and with endless queues */
	uint64_t sent, replies, retried, timed_out;
	struct world_drops drops;
	/*
	 * Nodes and links that were found; nodes whose counters were read; queries that were
	 * answered. And how many there are.
	 */
	size_t found, real;
	bool is_complete;
	uint64_t in_flight_peak, entries;
	uint64_t p50_ns, p99_ns; /* round trips */
};

void play_case(const struct times_case *what, const struct times_changes *changes,
	       struct times_result *result);

#endif
