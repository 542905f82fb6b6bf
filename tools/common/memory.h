/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory or the end: a program that cannot note what it finds has nothing to say. */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stddef.h>

/* Zeroed memory. Ends the program with a message and status 2 when there is none. */
void *memory_get(size_t count, size_t size);

/* The same for an array that grows; what is new is not zeroed. */
void *memory_grow(void *memory, size_t count, size_t size);

/* Ends the program so. */
void memory_end(void) __attribute__((noreturn));

#endif
