/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for the simulation itself. If there is none, the program ends. */
#ifndef SIMULATION_MEMORY_H
#define SIMULATION_MEMORY_H

#include <stddef.h>

void *must_alloc(size_t bytes); /* zeroed */
void *must_realloc(void *old, size_t bytes);

#endif
