/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line of what is played from seeds. */
#ifndef MADRING_TESTS_SEEDS_H
#define MADRING_TESTS_SEEDS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Plays a seed to its end; returns a digest of what happened, or ends the program with exit status
 * 1 when something did not hold.
 */
typedef uint64_t seeds_play(uint64_t seed, bool verbose);

/*
 * Plays the seeds that the arguments name, each twice to see that it is the same again when @twice.
 * Returns the exit status: 0, 1 when one was not the same, 2 for a wrong use.
 */
int seeds_main(int argc, char **argv, seeds_play *play, bool twice);

#endif
