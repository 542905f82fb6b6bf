/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that are sent. */
#ifndef MADRING_RMPP_SEND_H
#define MADRING_RMPP_SEND_H

#include <stdbool.h>
#include <stdint.h>
#include <infiniband/umad.h>

#include "base/rtt.h"

struct send {
	const struct ib_user_mad *message;
	uint32_t length; /* of the message, in bytes of MAD */
	uint32_t header; /* bytes of the class header, which each segment repeats */
	uint32_t count;	 /* segments */
	uint32_t next;	 /* the next segment to write in order */
	uint32_t high;	 /* the highest segment that was written */
	uint32_t acked;
	uint32_t window;   /* the last segment that may be written */
	uint32_t repair;   /* the segment to write out of order; 0: none */
	uint32_t repaired; /* the last segment that was written out of order */
	uint32_t recover;  /* .high when a gap was reported: there may be more gaps up to it */
	uint32_t timed;	   /* the segment whose ACK is timed; 0: none */
	uint64_t timed_at;
	uint64_t first_timeout_ns;
	uint64_t response_ns; /* the other end's RRespTime */
	struct rtt_estimate rtt;
	unsigned int retries;
	uint32_t reply_ms;
	uint32_t replies_accepted; /* replies that the kernel would accept now, see rmpp_send.c */
	uint32_t repeats;	   /* segments written again, each of which may get its own ACK */
	unsigned int timeouts;	   /* since the last progress */
	bool turn; /* the ACK that turns the transfer's direction has to be written */
};

struct frame;
struct rmpp;
struct rmpp_arrival;
struct rmpp_header;

/* Takes an ACK. */
void send_receive_ack(struct rmpp *rmpp, uint32_t entry, const struct rmpp_arrival *arrival,
		      const struct rmpp_header *header, uint64_t now);
/*
 * Writes the next segment, or the ACK that turns the transfer's direction, into a frame. Returns
 * the segment's number, or 0 for the ACK.
 */
uint32_t send_write(struct rmpp *rmpp, uint32_t entry, struct frame *frame, uint64_t now);
/* Tells whether there is something to write. */
bool send_has_more(const struct rmpp *rmpp, uint32_t entry);
/* Takes back what send_write() has written, because the device did not take it. */
void send_postpone(struct rmpp *rmpp, uint32_t entry, const struct frame *frame, uint32_t segment);
/* Handles the expiry of a timer. */
void send_expire(struct rmpp *rmpp, uint32_t entry, uint64_t now);

#endif
