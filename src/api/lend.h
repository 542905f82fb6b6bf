/* SPDX-License-Identifier: BSD-2-Clause */
/* The buffers that a callback may keep. Each completion passes here, so this is inlined. */
#ifndef MADRING_API_LEND_H
#define MADRING_API_LEND_H

#include "api/handles.h"

/* Lends buffers to a callback, which may keep them. */
static inline void ring_lend(struct madring *ring, struct madring_mad *reply,
			     struct madring_mad *request)
{
	ring->lent.reply = reply;
	ring->lent.request = request;
	ring->lent.reply_kept = false;
	ring->lent.request_kept = false;
}

/* Takes back the buffers that the callback has not kept. */
static inline void ring_take_back(struct madring *ring)
{
	if (ring->lent.reply && ring->lent.reply_kept)
		driver_keep(ring->driver, ring->lent.reply);
	else if (ring->lent.reply)
		driver_give(ring->driver, ring->lent.reply);
	if (ring->lent.request && !ring->lent.request_kept)
		madring_mad_free(ring, ring->lent.request);
	ring->lent.reply = NULL;
	ring->lent.request = NULL;
}

#endif
