/* SPDX-License-Identifier: BSD-2-Clause */
/* RMPP: messages longer than a MAD (IBA 13.6). */
#ifndef MADRING_RMPP_H
#define MADRING_RMPP_H

#include <stdbool.h>
#include <stdint.h>

#include <madring/mad.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Who divides an agent's messages into segments, and puts them together. */
enum madring_rmpp {
	MADRING_RMPP_NONE = 0, /* nobody: a message is one MAD */
	MADRING_RMPP_KERNEL,   /* the kernel: a message is written, and read, as a whole */
	/*
	 * madring, with the kernel leaving it to the agent (UMAD_USER_RMPP): what is lost is
	 * sent again by the measured round trip, and a timeout need not cover all of a message
	 */
	MADRING_RMPP_USER,
};

/* The RMPP header (IBA 13.6.2.1), behind the common one; network byte order. */
struct madring_rmpp_hdr {
	uint8_t version;
	uint8_t type;
	uint8_t flags; /* the response time in the upper 5 bits */
	uint8_t status;
	uint32_t segment; /* the number of this one, from 1 */
	uint32_t length;  /* of the payload; or, of an ACK, the last segment of the new window */
};

#define MADRING_RMPP_VERSION 1u
#define MADRING_RMPP_DATA    1u /* a type */
#define MADRING_RMPP_ACTIVE  0x01u
#define MADRING_RMPP_FIRST   0x02u
#define MADRING_RMPP_LAST    0x04u

/*
 * Has the message in @mad go in segments, by writing its RMPP header: to be called when the rest
 * of it has been prepared. It is for requests and responses of an agent with RMPP whose class has
 * them in segments, however short they are; and those longer than a MAD cannot be sent without.
 * Whoever makes the segments fills in what the header of each needs.
 */
void madring_rmpp_prepare(struct madring_mad *mad);

/* The RMPP header of a MAD whose class has one. */
static inline struct madring_rmpp_hdr *madring_rmpp_header(const struct madring_mad *mad)
{
	return (struct madring_rmpp_hdr *)(madring_mad_header(mad) + 1);
}

#ifdef __cplusplus
}
#endif
#endif
