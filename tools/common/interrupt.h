/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT and SIGTERM: the first ends the work in order, the second ends the program. */
#ifndef COMMON_INTERRUPT_H
#define COMMON_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

struct madring;

/* From now on a signal is noted, and wakes the ring, if there is one. */
void interrupt_watch(struct madring *ring);

/*
 * A file that is readable when a signal was noted, for a program that waits for more than a ring.
 * To be called before interrupt_watch(). Returns it, or -errno.
 */
int interrupt_fd(void);

/* From now on a signal ends the program. To be called before the ring is closed. */
void interrupt_unwatch(void);

bool interrupted(void);

/* Sleeps until a time of the monotonic clock, in ns. False: an interrupt came, now or before. */
bool interrupt_sleep(uint64_t until_ns);

#endif
