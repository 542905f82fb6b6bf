/* SPDX-License-Identifier: BSD-2-Clause */
/* Telling on standard error what goes on, to those who have asked. */
#ifndef MADRING_BASE_DEBUG_H
#define MADRING_BASE_DEBUG_H

#include <stdbool.h>

enum debug_level {
	DEBUG_OFF,
	DEBUG_EVENTS, /* what is opened, closed, refused and lost */
	DEBUG_MADS,   /* every MAD besides */
};

/* The level, or what the environment says as long as nobody has set it. */
int debug_level(void);
void debug_set_level(int level);

static inline bool debug_is(enum debug_level level)
{
	return debug_level() >= (int)level;
}

/* One line, in one piece; the level is the caller's to ask. */
__attribute__((format(printf, 1, 2))) void debug_say(const char *format, ...);

#endif
