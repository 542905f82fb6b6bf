/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_BY_THREAD_H
#define TESTS_BY_THREAD_H

#include <stdbool.h>

/* Whether a thread of the kernel's is to submit in this run of a test. */
bool by_thread(void);

/* -errno: io_uring cannot be set up. */
extern int by_thread_setup_fails;

#endif
