/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocations that fail when they are told to: the linker puts these in front of libc's. */
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H

extern unsigned int fail_at; /* the how many-th call from now; 0: none */

#endif
