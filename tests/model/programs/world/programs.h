/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Plays several programs at once in one world, each on a stack of its own. Time passes for a
 * program where its driver waits or works; meanwhile the others run, always the one whose time
 * comes first.
 */
#ifndef MODEL_PROGRAMS_H
#define MODEL_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRAMS 2

/*
 * Plays @program for each of @arguments until all have returned. Each opens and closes its own
 * ring.
 */
void programs_play(void (*program)(void *argument), void *arguments[PROGRAMS]);

/* Returns whether the caller is one of several programs. */
bool programs_are_several(void);

/* Has the other programs run, and the world, until the virtual time @time. */
void programs_wait(uint64_t time);

#endif
