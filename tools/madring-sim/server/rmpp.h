/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RMPP, as ib_mad speaks it for an agent. A message longer than a MAD goes in segments, a window of
 * them at a time. The receiver acknowledges each window; what it does not acknowledge is sent
 * again.
 */
#ifndef SIM_RMPP_H
#define SIM_RMPP_H

#include "server/device.h"
#include "server/mad.h"

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

/* An RMPP header, in host order. */
struct rmpp_header {
	uint8_t version, type, flags, status;
	uint32_t segment;
	uint32_t length; /* of the payload; in an ACK, the last segment that may be sent */
};

/* ---- rmpp.c ---- */

struct rmpp_header rmpp_header(const uint8_t *mad);

/* rmpp_set_header sets the RMPP header of a MAD, except for the response time, which stays. */
void rmpp_set_header(uint8_t *mad, const struct rmpp_header *header);

/* rmpp_send_ack acknowledges all up to @segment; up to @window may be sent. */
void rmpp_send_ack(struct server *server, const struct agent *agent,
		   const struct fabric_packet *packet, uint32_t segment, uint32_t window);

/* rmpp_refuse ends the transfer that @packet belongs to at its other end. */
void rmpp_refuse(struct server *server, const struct agent *agent,
		 const struct fabric_packet *packet, enum rmpp_status status);

/* ---- rmpp_receive.c: messages are put together, and delivered as one ---- */

void rmpp_receives_open(struct rmpp_receives *receives);
/* rmpp_receives_close frees all transfers. The agents must be gone already. */
void rmpp_receives_close(struct rmpp_receives *receives);

/* rmpp_receive takes a segment. */
void rmpp_receive(struct server *server, struct agent *agent, const struct fabric_packet *packet);

/* rmpp_receive_drop_all drops all that an agent receives. */
void rmpp_receive_drop_all(struct server *server, struct agent *agent);

/*
 * rmpp_set_response_window takes from an ACK how many segments of the response the sender of a
 * request takes at once. rmpp_first_window returns that number, which may be sent before the first
 * ACK.
 */
void rmpp_set_response_window(const struct agent *agent, const struct fabric_packet *ack);
uint32_t rmpp_first_window(const struct agent *agent, const struct fabric_packet *packet);

/* ---- rmpp_send.c: messages are sent, segment by segment ---- */

/*
 * rmpp_send_new makes a message that has @length bytes of data behind the class header. Returns
 * NULL if there is no memory.
 */
struct rmpp_send *rmpp_send_new(uint8_t mgmt_class, const uint8_t *data, size_t length);
void rmpp_send_start(struct server *server, struct outstanding *entry);
void rmpp_send_acknowledged(struct server *server, const struct agent *agent,
			    const struct fabric_packet *packet);
void rmpp_send_aborted(struct server *server, const struct agent *agent,
		       const struct fabric_packet *packet);
/* rmpp_send_again sends again what has no ACK. Returns false if all has been acknowledged. */
bool rmpp_send_again(struct server *server, struct outstanding *entry);

#endif
