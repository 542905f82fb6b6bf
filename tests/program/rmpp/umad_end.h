/* SPDX-License-Identifier: BSD-2-Clause */
/* An end of RMPP on a umad file whose agent has UMAD_USER_RMPP, as simple as can be. */
#ifndef TEST_RMPP_UMAD_END_H
#define TEST_RMPP_UMAD_END_H

#include "sim_peer.h"
#include "rmpp/rmpp.h"

/* The time for all of a message, many segments of which are lost. */
#define LONG_MS (120 * 1000)

struct umad_end {
	struct peer peer;
	struct rmpp *rmpp;
	/* The last message received; NULL: nothing has come since it was taken. */
	struct ib_user_mad *message; /* in segments, or plain */
	size_t length;
	bool sent; /* the last one has been sent, as a whole */
	int error; /* of one that has not, or has not come */
};

/* Opens an end on a port, as peer_open() does. */
void umad_end_open(struct umad_end *end, int port, bool serves);
void umad_end_close(struct umad_end *end);

/* Sends a message whose TID and address are those of @message; it is read until it has ended. */
uint64_t umad_end_send(struct umad_end *end, const struct peer_message *message, uint32_t reply_ms);

/* Writes a MAD that is none of RMPP. */
void umad_end_write(const struct umad_end *end, const struct peer_message *message,
		    uint32_t timeout_ms);

/*
 * Goes on until something has come or was sent, or @other is readable (-1: no other), or
 * @timeout_ms. False: the time is up.
 */
bool umad_end_run(struct umad_end *end, int other, int timeout_ms);

/* Returns the message that must come; to be freed. */
struct peer_message umad_end_receive(struct umad_end *end);

#endif
