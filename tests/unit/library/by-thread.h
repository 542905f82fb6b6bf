/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_BY_THREAD_H
#define TESTS_BY_THREAD_H

#include <stdbool.h>

/* Whether a thread of the kernel's is to submit in this run of a test. */
bool by_thread(void);

/* The state, as proc(5) has it, of a thread of this process whose name begins so; of several, of
   one that does not sleep. 0: there is none. Allocates nothing after the first call. */
char by_thread_state(const char *prefix);

/* -errno: io_uring cannot be set up. */
extern int by_thread_setup_fails;

#endif
