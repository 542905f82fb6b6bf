/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends messages to the fabric, segment by segment. */
#include <stdlib.h>

#include "server/rmpp.h"

#define ACK_MS 2000 /* the longest that an ACK is waited for */

struct rmpp_send {
	size_t segment_bytes; /* data in one segment */
	size_t length;	      /* data in all */
	uint32_t count;	      /* segments */
	uint32_t sent;
	uint32_t acknowledged;
	uint32_t window; /* the last segment that may be sent */
	uint32_t retries;
	uint8_t data[];
};

struct rmpp_send *rmpp_send_new(uint8_t mgmt_class, const uint8_t *data, size_t length)
{
	struct rmpp_send *send = calloc(1, sizeof(*send) + length);
	size_t segment_bytes = MAD_BYTES - mad_class_header_bytes(mgmt_class);

	if (!send)
		return NULL;
	send->segment_bytes = segment_bytes;
	send->length = length;
	send->count = length ? (uint32_t)((length + segment_bytes - 1) / segment_bytes) : 1;
	memcpy(send->data, data, length);
	return send;
}

/*
 * payload_length returns the length of a segment's payload, which is all that follows the RMPP
 * header: the class header's rest counts too.
 */
static uint32_t payload_length(const struct rmpp_send *send, uint32_t segment)
{
	size_t padding = send->count * send->segment_bytes - send->length;

	if (segment == send->count)
		return (uint32_t)(MAD_RMPP_DATA - padding);
	return segment == 1 ? (uint32_t)(send->count * (size_t)MAD_RMPP_DATA - padding) : 0;
}

/* Sends one segment of a message into the fabric. */
static void send_segment(struct server *server, const struct outstanding *entry, uint32_t segment)
{
	const struct rmpp_send *send = entry->rmpp;
	size_t offset = (segment - 1) * send->segment_bytes, bytes = send->segment_bytes;
	struct fabric_packet packet = entry->packet;
	struct rmpp_header header = {
		.version = UMAD_RMPP_VERSION,
		.type = RMPP_DATA,
		.flags = UMAD_RMPP_FLAG_ACTIVE,
		.segment = segment,
		.length = payload_length(send, segment),
	};

	if (segment == 1)
		header.flags |= RMPP_FLAG_FIRST;
	if (segment == send->count) {
		header.flags |= RMPP_FLAG_LAST;
		bytes = send->length - offset;
	}
	rmpp_set_header(packet.mad, &header);
	memcpy(packet.mad + MAD_BYTES - send->segment_bytes, send->data + offset, bytes);
	server->counts.rmpp.segments++;
	fabric_send(server->loop.fabric, entry->agent->file->port->endpoint, &packet,
		    server->loop.now);
}

/* send_window sends all segments that the window has room for. */
static void send_window(struct server *server, struct outstanding *entry)
{
	struct rmpp_send *send = entry->rmpp;
	uint32_t timeout_ms = entry->timeout_ms;

	while (send->sent < send->window && send->sent < send->count)
		send_segment(server, entry, ++send->sent);
	if (!timeout_ms || (timeout_ms > ACK_MS && timeout_ms <= INT32_MAX))
		timeout_ms = ACK_MS;
	umad_start_timeout(server, entry, timeout_ms);
}

void rmpp_send_start(struct server *server, struct outstanding *entry)
{
	entry->rmpp->retries = entry->retries_left;
	entry->rmpp->window = rmpp_first_window(entry->agent, &entry->packet);
	send_window(server, entry);
}

/*
 * finish ends the sending of a message that the receiver has whole. A receiver that is to respond
 * waits for an ACK of its ACK first.
 */
static void finish(struct server *server, struct outstanding *entry,
		   const struct fabric_packet *ack)
{
	const struct agent *agent = entry->agent;

	if (!entry->timeout_ms) {
		umad_drop_outstanding(server, entry);
		return;
	}
	rmpp_send_ack(server, agent, ack, 0, 1);
}

static void advance(struct server *server, struct outstanding *entry,
		    const struct rmpp_header *header, const struct fabric_packet *ack)
{
	struct rmpp_send *send = entry->rmpp;

	if (header->length < send->window || header->segment < send->acknowledged)
		return; /* an old one, overtaken */
	if (header->segment > send->acknowledged) {
		send->acknowledged = header->segment;
		entry->retries_left = send->retries;
	}
	send->window = header->length;
	if (send->acknowledged == send->count) {
		umad_start_timeout(server, entry, entry->timeout_ms);
		finish(server, entry, ack);
	} else if (send->sent < send->window && send->sent < send->count) {
		send_window(server, entry);
	}
}

static struct outstanding *find(const struct agent *agent, const struct fabric_packet *packet)
{
	struct outstanding *entry = umad_find_sent(agent->file->port, packet);

	return entry && entry->agent == agent ? entry : NULL;
}

void rmpp_send_acknowledged(struct server *server, const struct agent *agent,
			    const struct fabric_packet *packet)
{
	struct rmpp_header header = rmpp_header(packet->mad);
	struct outstanding *entry = find(agent, packet);

	if (!entry) {
		if (!header.segment)
			rmpp_set_response_window(agent, packet);
		return;
	}
	if (!entry->rmpp)
		return;
	if (entry->rmpp->acknowledged == entry->rmpp->count) {
		finish(server, entry, packet);
		return;
	}
	if (header.segment > entry->rmpp->count || header.segment > entry->rmpp->window) {
		rmpp_send_aborted(server, agent, packet);
		rmpp_refuse(server, agent, packet, RMPP_SEGMENT_TOO_LARGE);
		return;
	}
	advance(server, entry, &header, packet);
}

/*
 * rmpp_send_aborted ends a transfer that the receiver has aborted. The program is not told: ib_umad
 * has no notice of an abort.
 */
void rmpp_send_aborted(struct server *server, const struct agent *agent,
		       const struct fabric_packet *packet)
{
	struct outstanding *entry = find(agent, packet);

	if (!entry || !entry->rmpp || entry->rmpp->acknowledged == entry->rmpp->count)
		return;
	server->counts.rmpp.aborted++;
	umad_drop_outstanding(server, entry);
}

bool rmpp_send_again(struct server *server, struct outstanding *entry)
{
	struct rmpp_send *send = entry->rmpp;

	if (send->acknowledged == send->count)
		return false;
	server->counts.rmpp.resent += send->sent - send->acknowledged;
	send->sent = send->acknowledged;
	send_window(server, entry);
	return true;
}
