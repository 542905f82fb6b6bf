/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of a program that plays seeds, and the end of a seed that fails. */
#ifndef SIMULATION_SEEDS_H
#define SIMULATION_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Plays a seed to its end, and returns a digest of what happened. Calls seeds_fail() when something
 * does not hold.
 */
typedef uint64_t seeds_play(uint64_t seed, bool verbose);

/* A program that plays seeds. */
struct seeds_program {
	const char *about; /* a line for --help: what it plays */
	seeds_play *play;
	int words; /* arguments of its own, before the options */
	/*
	 * The processes that play the seeds unless --jobs says otherwise. 0: the program plays them
	 * itself, up to the first that fails.
	 */
	unsigned int jobs;
	bool twice; /* it plays each seed twice, to see that the same happens, without --twice */
};

/*
 * `seeds_main` plays the seeds that the options in @argv name. Returns the exit status: 0; 1 if one
 * did not hold, after the command that plays it again; 2 for a wrong use. A seed that crashes, as
 * by a failed assertion, ends as one that fails.
 */
int seeds_main(int argc, char **argv, const struct seeds_program *program);

/*
 * `seeds_fail` ends the seed, and its process, with exit status 1. It writes what did not hold at
 * the time @now, in ns, and the command that plays the seed again, to standard error.
 */
_Noreturn void seeds_fail(uint64_t now, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
