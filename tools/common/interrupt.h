/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT and SIGTERM: the first ends the work in order, the second ends the program. */
#ifndef COMMON_INTERRUPT_H
#define COMMON_INTERRUPT_H

#include <stdbool.h>

struct madring;

/* From now on a signal is noted, and wakes the ring. */
void interrupt_watch(struct madring *ring);

/* From now on a signal ends the program. To be called before the ring is closed. */
void interrupt_unwatch(void);

bool interrupted(void);

#endif
