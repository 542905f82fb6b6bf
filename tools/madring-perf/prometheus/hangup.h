/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGHUP asks to read again what was read from files. */
#ifndef PROMETHEUS_HANGUP_H
#define PROMETHEUS_HANGUP_H

#include <stdbool.h>

/* Has the signal noted. Returns a file that is readable once it was, or -errno. */
int hangup_watch(void);

/* Returns whether the signal came since the last call. */
bool hangup_taken(void);

#endif
