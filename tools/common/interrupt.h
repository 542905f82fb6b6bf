/* SPDX-License-Identifier: BSD-2-Clause */
/* SIGINT and SIGTERM: the first ends the work in order, the second ends the program. */
#ifndef COMMON_INTERRUPT_H
#define COMMON_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

struct madring;

/* Has a signal noted, rather than end the program, and wake @ring, which may be NULL. */
void interrupt_watch(struct madring *ring);

/*
 * Returns a file that is readable once a signal was noted, for a program that waits for more than a
 * ring, or -errno. It is called before interrupt_watch().
 */
int interrupt_fd(void);

/* Has a signal end the program again. It is called before the ring is closed. */
void interrupt_unwatch(void);

bool interrupted(void);

/*
 * Sleeps until a time of the monotonic clock, in ns. Returns false if an interrupt came, now or
 * before.
 */
bool interrupt_sleep(uint64_t until_ns);

#endif
