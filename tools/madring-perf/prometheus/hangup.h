/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGHUP: what was read from files is to be read again. */
#ifndef PROMETHEUS_HANGUP_H
#define PROMETHEUS_HANGUP_H

#include <stdbool.h>

/* From now on the signal is noted. Returns a file that is readable when it was, or -errno. */
int hangup_watch(void);

/* Whether it came since this was last asked. */
bool hangup_taken(void);

#endif
