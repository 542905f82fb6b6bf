/* SPDX-License-Identifier: BSD-2-Clause */
/* The writes that the driver has to cancel. */
#ifndef MADRING_ENGINE_ABORT_H
#define MADRING_ENGINE_ABORT_H

#include <stdint.h>

struct engine;

/* Lists a transaction's write, unless it was listed before. */
void abort_add(struct engine *engine, uint32_t slot);
/* Takes a transaction's write off the list if it still stands there. */
void abort_remove(struct engine *engine, uint32_t slot);

#endif
