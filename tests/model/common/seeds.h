/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of a program that plays seeds, and the end of a seed that fails. */
#ifndef MADRING_TESTS_SEEDS_H
#define MADRING_TESTS_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

/* Plays a seed to its end, and returns a digest of what happened. Calls seeds_fail() when something
   does not hold. */
typedef uint64_t seeds_play(uint64_t seed, bool verbose);

/*
 * `seeds_main` plays the seeds that the options in @argv name, each twice if @twice, to see that it
 * is the same again. The options follow @words arguments that are the program's own. Returns the
 * exit status: 0; 1 if one was not the same; 2 for a wrong use. A seed that crashes, as by a failed
 * assertion, ends as one that fails.
 */
int seeds_main(int argc, char **argv, int words, seeds_play *play, bool twice);

/* `seeds_fail` writes the command that plays the seed again to standard error, and ends the program
   with exit status 1. */
_Noreturn void seeds_fail(void);

#endif
