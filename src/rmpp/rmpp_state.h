/* SPDX-License-Identifier: BSD-2-Clause */
/* RMPP's state. Each part of it has a header of its own. */
#ifndef MADRING_RMPP_STATE_H
#define MADRING_RMPP_STATE_H

#include <assert.h>

#include "base/list.h"
#include "base/wheel.h"
#include "rmpp/frame.h"
#include "rmpp/rmpp.h"
#include "rmpp/transfer.h"

struct rmpp {
	struct rmpp_config config;
	uint64_t now, heard; /* the latest times that the caller passed, ns */
	uint32_t serial;
	struct transfer *transfer; /* first the sends, then the receives */
	struct list free_sends, free_receives;
	uint32_t *bucket;
	unsigned int bucket_bits;
	struct list ready;
	struct list outcomes;
	struct list lingering; /* the oldest first */
	struct wheel wheel;

	struct frame *frame;
	struct frame_use *frame_use;
	struct list free_frames;
	struct list refusals; /* STOP and ABORT frames, which are written before all others */

	uint64_t memory; /* bytes of MAD taken for messages that were not handed out */
	struct rmpp_stats stats;
};

/* Records the time and checks that it does not go back. */
static inline void note_time(struct rmpp *rmpp, uint64_t now)
{
	assert(now >= rmpp->now);
	rmpp->now = now;
}

static inline bool is_send(const struct rmpp *rmpp, uint32_t entry)
{
	return entry < rmpp->config.sends;
}

#endif
