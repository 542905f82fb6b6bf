/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug messages on standard error, for programs and users who ask for them. */
#ifndef MADRING_BASE_DEBUG_H
#define MADRING_BASE_DEBUG_H

#include <stdbool.h>

enum debug_level {
	DEBUG_OFF,
	DEBUG_EVENTS, /* things that are opened, closed, refused and lost */
	DEBUG_MADS,   /* also every MAD */
};

/* Returns the level; until it is set, MADRING_DEBUG in the environment decides. */
int debug_level(void);
void debug_set_level(int level);

static inline bool debug_is(enum debug_level level)
{
	return debug_level() >= (int)level;
}

/* Prints one line by one write. The caller checks the level before. */
__attribute__((format(printf, 1, 2))) void debug_say(const char *format, ...);

#endif
