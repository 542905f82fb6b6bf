/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RMPP as ib_mad speaks it for an agent: a message longer than a MAD goes in segments, a window
 * of them at a time, each window acknowledged by the receiver, and sent again when it is not.
 */
#ifndef SIM_RMPP_H
#define SIM_RMPP_H

#include "server/device.h"

enum rmpp_type { RMPP_DATA = 1, RMPP_ACK, RMPP_STOP, RMPP_ABORT };

enum rmpp_flag { RMPP_FLAG_FIRST = 2, RMPP_FLAG_LAST = 4, RMPP_FLAGS = 7 };

enum rmpp_status {
	RMPP_NO_RESOURCES = 1,
	RMPP_TOO_LATE = 118, /* the least that an ABORT may have */
	RMPP_BAD_SEGMENT = 120,
	RMPP_BAD_TYPE = 121,
	RMPP_WINDOW_TOO_SMALL = 122,
	RMPP_SEGMENT_TOO_LARGE = 123,
	RMPP_BAD_STATUS = 124,
	RMPP_BAD_VERSION = 125,
	RMPP_ABORT_LAST = 127,
};

/* In host order. */
struct rmpp_header {
	uint8_t version, type, flags, status;
	uint32_t segment;
	uint32_t length; /* of the payload; in an ACK, the last segment that may be sent */
};

struct rmpp_header rmpp_header(const uint8_t *mad);

/* Leaves the response time as it is. */
void rmpp_set_header(uint8_t *mad, const struct rmpp_header *header);

/* Takes an active RMPP MAD for an agent that leaves RMPP to the device. */
void rmpp_received(struct server *server, struct agent *agent, const struct fabric_packet *packet);

void rmpp_send_ack(struct server *server, const struct agent *agent,
		   const struct fabric_packet *packet, uint32_t segment, uint32_t window);

/* Ends the transfer that @packet belongs to at its other end. */
void rmpp_refuse(struct server *server, const struct agent *agent,
		 const struct fabric_packet *packet, enum rmpp_status status);

/* rmpp_send.c */

/* For @length bytes of data behind the class header; NULL: no memory. */
struct rmpp_send *rmpp_send_new(uint8_t mgmt_class, const uint8_t *data, size_t length);
/* Its data. */
size_t rmpp_send_bytes(const struct rmpp_send *send);
void rmpp_send_start(struct server *server, struct outstanding *entry);
void rmpp_send_acknowledged(struct server *server, const struct agent *agent,
			    const struct fabric_packet *packet);
void rmpp_send_aborted(struct server *server, const struct agent *agent,
		       const struct fabric_packet *packet);
/* No ACK has come in time: sends again what has none. False: all have been acknowledged. */
bool rmpp_send_again(struct server *server, struct outstanding *entry);

/* rmpp_receive.c */

/* A segment. */
void rmpp_receive(struct server *server, struct agent *agent, const struct fabric_packet *packet);

/* Whoever sent a request in segments says how much of the response he takes at once. */
void rmpp_set_response_window(const struct agent *agent, const struct fabric_packet *ack);
/* How many segments of this message may be sent before the first ACK. */
uint32_t rmpp_first_window(const struct agent *agent, const struct fabric_packet *packet);

#endif
