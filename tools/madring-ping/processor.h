/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long this thread has waited for a processor: it could run, and other threads did. A reply
 * that comes meanwhile is read late, and its delay is that of this host.
 */
#ifndef PING_PROCESSOR_H
#define PING_PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

struct processor {
	int file;     /* -1: the kernel does not tell */
	bool is_read; /* .waited_ns is that of now: the thread has not slept since */
	uint64_t waited_ns, waited_before_ns;
};

/* `processor_open` begins to observe the thread that calls it. */
void processor_open(struct processor *processor);
void processor_close(struct processor *processor);

/* `processor_may_sleep` notes that the thread may sleep now, and wait for a processor then. */
void processor_may_sleep(struct processor *processor);

/*
 * `processor_waited` returns the sum of the waits, in ns. It reads it anew if the thread may have
 * slept.
 */
uint64_t processor_waited(struct processor *processor);

/* `processor_waited_before` returns the sum from before the thread may have slept last. */
uint64_t processor_waited_before(struct processor *processor);

/*
 * `processor_spoils` tells whether so long a wait spoils a delay: it is 50 us or more, and at least
 * an eighth of the delay.
 */
bool processor_spoils(uint64_t waited_ns, uint64_t delay_ns);

#endif
