/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that the engine's RMPP splits and joins. Call these functions only if engine.rmpp is
 * set.
 */
#ifndef MADRING_ENGINE_SEGMENTS_H
#define MADRING_ENGINE_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

struct transaction;

/* Takes a MAD that was read. Returns false if it is not part of such a message. */
bool segments_receive(struct engine *engine, unsigned int lane, const struct ib_user_mad *umad,
		      size_t bytes, uint64_t now);
/*
 * The next three do for RMPP's frames what engine_write_of(), engine_next_write() and
 * engine_write_done() do for all writes.
 */
struct engine_write segments_write_of(const struct engine *engine, uint32_t number);
bool segments_next_write(struct engine *engine, uint64_t now, struct engine_write *write);
void segments_write_done(struct engine *engine, uint32_t number, int error, uint64_t now);
/* Fires RMPP's timers. */
void segments_advance(struct engine *engine, uint64_t now);
/* Sends the current attempt in segments. Returns 0 or an error of rmpp_send(). */
int segments_begin(struct engine *engine, struct transaction *transaction, uint64_t now);

#endif
