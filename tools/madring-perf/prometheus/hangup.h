/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGHUP, which asks the program to read its files again. */
#ifndef PROMETHEUS_HANGUP_H
#define PROMETHEUS_HANGUP_H

#include <stdbool.h>

/* Has the signal noted. Returns a file that is readable once it was, or -errno. */
int hangup_watch(void);

/* Returns whether the signal came since the last call. */
bool hangup_taken(void);

#endif
