/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that are received. */
#ifndef MADRING_RMPP_RECEIVE_H
#define MADRING_RMPP_RECEIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/umad.h>

#include "base/list.h"
#include "rmpp/format.h"
#include "rmpp/rmpp.h"

#define SEGMENT_NONE UINT32_MAX

struct receive {
	struct ib_user_mad *message; /* NULL: it was handed out */
	size_t room;		     /* in .message, bytes of MAD */
	uint32_t header;	     /* bytes of the class header */
	uint32_t segment;	     /* the last segment before the first gap */
	uint32_t acked;		     /* .segment in the last ACK */
	uint32_t window;	     /* the last segment that the sender may write */
	uint32_t highest;	     /* the highest segment that has come */
	uint32_t last;		     /* the segment with the last flag; 0: not known */
	uint32_t last_payload;
	uint32_t declared;	 /* the first segment's PayloadLength; 0: it declares none */
	uint32_t gap_reported;	 /* the segment before the gap that was last reported */
	uint32_t reply_window;	 /* of the response, if this is a request */
	uint64_t ahead;		 /* bit i: segment .segment + i + 1 has come */
	uint64_t ack_written_at; /* when the last ACK was written */
	bool ack;		 /* an ACK has to be written */
	bool gap;		 /* that ACK has to report a gap */
	struct list_link linger; /* in rmpp.lingering, while .lingers */
	bool lingers;
	ib_mad_addr_t addr;
	uint8_t first[64]; /* the headers of the first segment */
};

_Static_assert(8 * sizeof(((struct receive *)0)->ahead) >= RMPP_MAX_WINDOW,
	       "each segment of a window has a bit");

struct frame;

/* Takes a segment, which may begin a message. */
enum rmpp_verdict receive_data(struct rmpp *rmpp, const struct rmpp_arrival *arrival,
			       const struct rmpp_header *header, uint64_t now, uint64_t *id);
/* Writes the next ACK into a frame. */
void receive_write_ack(struct rmpp *rmpp, uint32_t entry, struct frame *frame, uint64_t now);
/* Handles the expiry of a timer. */
void receive_expire(struct rmpp *rmpp, uint32_t entry, uint64_t now);

#endif
