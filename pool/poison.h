/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the address sanitizer report an access to a buffer that is not taken, like an access to
 * freed memory. Does nothing without the address sanitizer.
 */
#ifndef MADRING_POOL_POISON_H
#define MADRING_POOL_POISON_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON_WORKS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define POISON_WORKS
#endif

#ifdef POISON_WORKS
#include <sanitizer/asan_interface.h>
#else
#define __asan_poison_memory_region(memory, bytes)   ((void)(memory), (void)(bytes))
#define __asan_unpoison_memory_region(memory, bytes) ((void)(memory), (void)(bytes))
#endif

/* `poison` makes accesses to the memory errors. */
static inline void poison(const void *memory, size_t bytes)
{
	__asan_poison_memory_region(memory, bytes);
}

/* `unpoison` allows accesses to the memory again. */
static inline void unpoison(const void *memory, size_t bytes)
{
	__asan_unpoison_memory_region(memory, bytes);
}

#endif
