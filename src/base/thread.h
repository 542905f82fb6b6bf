/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells threads apart, in an instruction. */
#ifndef MADRING_BASE_THREAD_H
#define MADRING_BASE_THREAD_H

#include <pthread.h>
#include <stdint.h>

/*
 * Returns a number that no other thread of the process has while this one runs: the address of
 * the thread's control block, which is pthread_self(), too, but without a call. A variable of the
 * library's own for each thread would be slower in a shared library, or keep musl from loading it
 * by dlopen(3).
 */
static inline uintptr_t thread_number(void)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	uintptr_t number;

	/* The control block begins with its own address. */
	__asm__("mov %%fs:0, %0" : "=r"(number));
	return number;
#elif defined(__aarch64__)
	return (uintptr_t)__builtin_thread_pointer();
#else
	return (uintptr_t)pthread_self();
#endif
}

#endif
