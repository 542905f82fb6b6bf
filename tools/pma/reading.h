/* SPDX-License-Identifier: BSD-2-Clause */
/* An attribute of performance management as an agent told it, or why it did not. */
#ifndef PMA_READING_H
#define PMA_READING_H

#include <stddef.h>
#include <stdint.h>

#include "attribute.h"

enum reading_state {
	READING_OPEN,	     /* asked for, or to be asked for, and the work ended first */
	READING_DONE,	     /* .data */
	READING_UNSUPPORTED, /* the node has no such attribute: .status */
	READING_STATUS,	     /* .status: an error */
	READING_NO_REPLY,    /* .error: -ETIMEDOUT, or why it could not be sent */
	READING_MALFORMED,   /* .text: what is wrong with the reply */
};

/* An attribute of a port, as it was read or could not be read. */
struct reading {
	enum reading_state state;
	int error;
	uint16_t status;  /* of the MAD */
	const char *text; /* constant */
	uint64_t time_ns; /* monotonic, when the reply came */
	uint8_t data[PMA_DATA_BYTES];
};

/* The outcome of a request. */
struct outcome {
	int error;	     /* as in a completion; 0: there is a reply */
	const void *mad;     /* the reply */
	size_t length;	     /* its bytes */
	uint16_t asked_lid;  /* whom the request went to, at last */
	uint16_t source_lid; /* whom the reply is from */
	uint64_t now_ns, rtt_ns;
	unsigned int attempts;
};

/* Stands for the port of an attribute that has no PortSelect. */
#define PMA_NO_PORT 256u

/*
 * Fills @reading from the outcome of a request for the attribute @id of @port, a PortSelect or
 * PMA_NO_PORT.
 */
void reading_take(struct reading *reading, uint16_t id, unsigned int port,
		  const struct outcome *outcome);

/* Describes why there is no data of an attribute. Writes @text and returns it. */
#define READING_TEXT_BYTES 128
const char *reading_text(const struct reading *reading, char text[READING_TEXT_BYTES]);

#endif
