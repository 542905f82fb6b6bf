/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a transaction that still waits. */
#ifndef MADRING_ENGINE_CANCEL_H
#define MADRING_ENGINE_CANCEL_H

#include <stdint.h>

struct engine;

/* Ends a transaction that is queued or in flight. @status is a negative errno. */
void cancel_transaction(struct engine *engine, uint32_t slot, int status);

#endif
