/* SPDX-License-Identifier: BSD-2-Clause */
/* An agent of class 3 that leaves RMPP to the device, and messages for it. */
#ifndef SIM_TEST_PEER_H
#define SIM_TEST_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/umad.h>
#include <infiniband/umad_types.h>

#define UMAD_BYTES    64
#define HEADER_BYTES  56  /* of class 3 */
#define SEGMENT_BYTES 200 /* of data */
#define MAD_BYTES     256

#define GET	  0x01
#define GET_TABLE 0x12
#define GET_MULTI 0x14
#define RESPONSE  0x80

/* Offsets in a MAD. */
#define RMPP_VERSION 24
#define RMPP_TYPE    25
#define RMPP_FLAGS   26
#define RMPP_STATUS  27
#define RMPP_SEGMENT 28
#define RMPP_LENGTH  32

struct peer {
	int fd;
	uint32_t agent;
	uint16_t other_lid;
};

enum peer_rmpp { RMPP_BY_DEVICE, RMPP_BY_US };

/*
 * Opens a peer on port 1 or 2, which sends to the other; it takes the three requests above when it
 * @serves.
 */
struct peer peer_open(int port, enum peer_rmpp rmpp, bool serves);
void peer_close(struct peer *peer);

struct peer_message {
	size_t bytes; /* in all, with the umad header */
	uint8_t *umad;
};

/* Makes a message of so many bytes of data, all of which follow from @tid. To be freed. */
struct peer_message peer_message(const struct peer *peer, uint8_t method, uint32_t tid,
				 size_t data_bytes);
struct ib_user_mad *peer_header(const struct peer_message *message);
uint8_t *peer_mad(const struct peer_message *message);
/* Has it go in segments, whatever its length. */
void peer_set_active(const struct peer_message *message);
void peer_send(const struct peer *peer, const struct peer_message *message);
void peer_free(struct peer_message *message);

/* Waits for a message. False: none came. */
bool peer_wait(const struct peer *peer, int timeout_ms);

/* Returns the next message, with as many bytes as its read() has said. To be freed. */
struct peer_message peer_receive(const struct peer *peer);

/* Requires that a message is what peer_message() has made, @data_bytes long. */
void peer_check(const struct peer_message *message, uint8_t method, uint32_t tid,
		size_t data_bytes);

/* Returns the low half of the TID, which peer_message() was given. */
uint32_t peer_low_tid(const struct peer_message *message);

#endif
