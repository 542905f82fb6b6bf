/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames: the MADs that are written. */
#ifndef MADRING_RMPP_FRAME_H
#define MADRING_RMPP_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/umad.h>

#include <madring/mad.h>

#include "base/list.h"

#define FRAME_NONE LIST_NONE

struct frame {
	struct ib_user_mad umad;
	uint8_t mad[MADRING_MAD_BYTES];
};

_Static_assert(offsetof(struct frame, mad) == sizeof(struct ib_user_mad), "as umad has it");

/* The content of a frame, which is needed when its write is reported. */
struct frame_use {
	uint32_t serial;       /* of its transfer */
	uint32_t entry;	       /* its transfer; TRANSFER_NONE: a STOP or ABORT, written only once */
	uint32_t segment;      /* 0: an ACK */
	struct list_link link; /* in rmpp.free_frames or rmpp.refusals */
	uint16_t lane;
	bool handed_out; /* its write is not reported yet */
};

struct rmpp;

/* Takes a free frame; there must be one. Stores its number in @slot. */
struct frame *frame_take(struct rmpp *rmpp, uint32_t *slot);
/* Frees a frame. */
void frame_give(struct rmpp *rmpp, uint32_t slot);
/* Writes the umad header of a frame. */
void frame_address(struct frame *frame, uint32_t agent_id, const ib_mad_addr_t *addr);

#endif
