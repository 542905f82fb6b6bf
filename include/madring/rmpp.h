/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends messages longer than a MAD in segments (RMPP, IBA 13.6). */
#ifndef MADRING_RMPP_H
#define MADRING_RMPP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Selects who divides an agent's messages into segments and puts them together. */
enum madring_rmpp {
	MADRING_RMPP_NONE = 0, /* nobody: each message is one MAD */
	MADRING_RMPP_KERNEL,   /* the kernel: a message is written, and read, as a whole */
	/*
	 * madring, and the kernel passes segments on unchanged (UMAD_USER_RMPP). Lost segments are
	 * resent after the measured round trip, and a timeout need not cover the whole message.
	 */
	MADRING_RMPP_USER,
};

/* The RMPP header (IBA 13.6.2.1), which follows the common header; network byte order. */
struct madring_rmpp_hdr {
	uint8_t version;
	uint8_t type;
	uint8_t flags; /* the upper 5 bits are the response time */
	uint8_t status;
	__be32 segment; /* the number of this segment, from 1 */
	__be32 length;	/* of the payload; in an ACK, the last segment of the new window */
};
static_assert(sizeof(struct madring_rmpp_hdr) == 12 &&
		      offsetof(struct madring_rmpp_hdr, segment) == 4 &&
		      offsetof(struct madring_rmpp_hdr, length) == 8,
	      "the RMPP header is that of IBA 13.6.2.1");

#define MADRING_RMPP_VERSION 1u
#define MADRING_RMPP_DATA    1u /* a type */
#define MADRING_RMPP_ACTIVE  0x01u
#define MADRING_RMPP_FIRST   0x02u
#define MADRING_RMPP_LAST    0x04u

/*
 * Marks the message in @mad for RMPP, by writing its RMPP header. Call it after preparing the rest
 * of the message. It is for requests and responses of an agent with RMPP whose class sends them in
 * segments, however short they are. A message longer than a MAD cannot be sent without it. The
 * kernel or madring fills in the header of each segment.
 */
void madring_rmpp_prepare(struct madring_mad *mad);

/* Returns the RMPP header of a MAD whose class has one. */
MADRING_INLINE struct madring_rmpp_hdr *madring_rmpp_header(struct madring_mad *mad)
{
	return (struct madring_rmpp_hdr *)(madring_mad_header(mad) + 1);
}

#ifdef __cplusplus
}
#endif
#endif
