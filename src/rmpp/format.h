/* SPDX-License-Identifier: BSD-2-Clause */
/* The RMPP header in a MAD (IBA 13.6.2). */
#ifndef MADRING_RMPP_FORMAT_H
#define MADRING_RMPP_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <madring/mad.h>
#include <madring/rmpp.h>

#include "base/bytes.h"
#include "base/mad_class.h"

#define RMPP_VERSION_OFFSET 24u
#define RMPP_TYPE_OFFSET    25u
#define RMPP_FLAGS_OFFSET   26u /* RRespTime in the upper five bits */
#define RMPP_STATUS_OFFSET  27u
#define RMPP_NUMBER_OFFSET  28u /* SegmentNumber */
#define RMPP_LENGTH_OFFSET  32u /* PayloadLength; in an ACK, NewWindowLast */
#define RMPP_HEADER_END	    36u

/* The largest PayloadLength of one MAD. It counts the rest of the class header, and the data. */
#define RMPP_PAYLOAD (MADRING_MAD_BYTES - RMPP_HEADER_END)

#define RMPP_VERSION	      1
#define RMPP_NO_RESPONSE_TIME 31u /* RRespTime is not given */

_Static_assert(RMPP_HEADER_END == sizeof(struct madring_mad_hdr) + sizeof(struct madring_rmpp_hdr),
	       "the RMPP header follows the MAD header");
_Static_assert(RMPP_PAYLOAD == 220, "the largest PayloadLength of a MAD (IBA 13.6.2)");

enum rmpp_type { RMPP_DATA = 1, RMPP_ACK, RMPP_STOP, RMPP_ABORT };

enum rmpp_flag { RMPP_ACTIVE = 1, RMPP_FIRST = 2, RMPP_LAST = 4, RMPP_FLAGS = 7 };

/* The RMPP statuses (IBA 13.6.2.1). All but the first are ABORT statuses. */
enum rmpp_status {
	RMPP_NO_RESOURCES = 1, /* the only STOP status */
	RMPP_TOO_LONG = 118,   /* the total time is over */
	RMPP_BAD_LENGTH = 119, /* PayloadLength contradicts the last segment */
	RMPP_BAD_FIRST = 120,  /* the first flag contradicts SegmentNumber */
	RMPP_BAD_TYPE = 121,
	RMPP_WINDOW_TOO_SMALL = 122,
	RMPP_SEGMENT_TOO_BIG = 123,
	RMPP_BAD_STATUS = 124,
	RMPP_BAD_VERSION = 125,
	RMPP_TOO_MANY_RETRIES = 126,
	RMPP_UNSPECIFIED = 127,
};

struct rmpp_header {
	uint8_t version, type, flags, status;
	uint8_t response_time;
	uint32_t segment;
	uint32_t length; /* NewWindowLast in an ACK */
};

/* Reads the header of a MAD of 256 bytes. */
static inline struct rmpp_header rmpp_header_read(const uint8_t *mad)
{
	return (struct rmpp_header){
		.version = mad[RMPP_VERSION_OFFSET],
		.type = mad[RMPP_TYPE_OFFSET],
		.flags = mad[RMPP_FLAGS_OFFSET] & RMPP_FLAGS,
		.response_time = mad[RMPP_FLAGS_OFFSET] >> 3,
		.status = mad[RMPP_STATUS_OFFSET],
		.segment = read_be32(mad + RMPP_NUMBER_OFFSET),
		.length = read_be32(mad + RMPP_LENGTH_OFFSET),
	};
}

/* Tells whether a MAD of @length bytes has an active RMPP header. */
static inline bool rmpp_header_is_active(const uint8_t *mad, size_t length)
{
	return length >= RMPP_HEADER_END && mad[RMPP_VERSION_OFFSET] == RMPP_VERSION &&
	       (mad[RMPP_FLAGS_OFFSET] & RMPP_ACTIVE);
}

/* Writes an active header without a response time. */
static inline void rmpp_header_write(uint8_t *mad, const struct rmpp_header *header)
{
	mad[RMPP_VERSION_OFFSET] = RMPP_VERSION;
	mad[RMPP_TYPE_OFFSET] = header->type;
	mad[RMPP_FLAGS_OFFSET] =
		(uint8_t)(RMPP_NO_RESPONSE_TIME << 3 | RMPP_ACTIVE | header->flags);
	mad[RMPP_STATUS_OFFSET] = header->status;
	write_be32(mad + RMPP_NUMBER_OFFSET, header->segment);
	write_be32(mad + RMPP_LENGTH_OFFSET, header->length);
}

/* Returns where the data begins in a MAD of a class, or 0 if the class has no RMPP. */
static inline uint32_t rmpp_data_offset(uint8_t mgmt_class)
{
	const struct mad_class *properties = mad_class_of(mgmt_class);

	return properties->has_rmpp ? properties->data_offset : 0;
}

#endif
