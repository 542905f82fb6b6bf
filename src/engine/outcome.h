/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a transaction. */
#ifndef MADRING_ENGINE_OUTCOME_H
#define MADRING_ENGINE_OUTCOME_H

#include <stdint.h>

struct engine;

/* Ends a transaction that is neither queued nor in flight any more. @status: 0 or -errno. */
void outcome_set(struct engine *engine, uint32_t slot, int status);
/* Makes a transaction's completion available, once its write is reported. */
void outcome_ready(struct engine *engine, uint32_t slot);

#endif
