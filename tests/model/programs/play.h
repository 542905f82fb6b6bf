/* SPDX-License-Identifier: BSD-2-Clause */
/* Plays a scenario: a sweep, perhaps a collection, and what is checked after them. */
#ifndef MODEL_PLAY_H
#define MODEL_PLAY_H

#include <stdbool.h>
#include <stdint.h>

/* Returns a digest of all that happened. What does not hold ends the process with exit status 1. */
uint64_t play(uint64_t seed, bool trace);

#endif
