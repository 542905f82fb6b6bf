/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_BY_THREAD_H
#define TESTS_BY_THREAD_H

#include <stdbool.h>

/* Tells whether a kernel thread submits in this run of a test. */
bool by_thread(void);

/*
 * Returns the state, as proc(5) has it, of a thread of this process whose name begins with @prefix;
 * of several, that of one which does not sleep. Returns 0 if there is none. Allocates nothing after
 * the first call.
 */
char by_thread_state(const char *prefix);

/* An error, as -errno, with which setting up io_uring fails; 0: none. */
extern int by_thread_setup_fails;

#endif
