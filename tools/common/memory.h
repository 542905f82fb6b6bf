/* SPDX-License-Identifier: BSD-2-Clause */
/* Allocates memory, or ends the program: without memory it cannot keep what it finds. */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stddef.h>

/* Returns zeroed memory. Ends the program with a message and status 2 when there is none. */
void *memory_get(size_t count, size_t size);

/* Grows an array, or ends the program as memory_get() does. New elements are not zeroed. */
void *memory_grow(void *memory, size_t count, size_t size);

/* Ends the program with the message that memory is exhausted, and status 2. */
void memory_end(void) __attribute__((noreturn));

#endif
