/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Allocations that are counted, and fail when they are told to: the linker puts these in front of
 * libc's. What libc allocates by itself, as in getline(), is not seen, but its free() is.
 */
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H

extern unsigned int fail_at;	 /* the call that fails, counted from 1; 0: none */
extern long living_allocations;	 /* allocations that were not freed yet */
extern unsigned long heap_calls; /* calls that allocate or free memory */

#endif
