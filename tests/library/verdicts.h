/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts errors into io_uring's completions that a device can have and the fake's sockets cannot. */
#ifndef TESTS_VERDICTS_H
#define TESTS_VERDICTS_H

#include <stdbool.h>

struct madring;

/*
 * Returns how many writes have ended with EIO because their agent was not registered when they were
 * reported.
 */
unsigned int verdicts_refused(void);

/* Makes the next @count writes end with @error. */
void verdicts_fail_writes(unsigned int count, int error);

/*
 * Ends the read, or the poll, that is under way on a ring's first lane, as if by @error. Returns
 * whether there was one.
 */
bool verdicts_end_read(struct madring *ring, int error);
bool verdicts_end_poll(struct madring *ring, int error);

#endif
