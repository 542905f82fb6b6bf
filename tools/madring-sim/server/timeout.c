/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests without a reply: sent again as often as was asked for, then given back. */
#include <errno.h>

#include "device.h"

/* Never early: the tick that has begun doesn't count. A negative timeout waits for ever. */
void umad_start_timeout(struct server *server, struct request *request)
{
	uint64_t tick = (server->now + NS_PER_MS - 1) / NS_PER_MS;

	if (request->timeout_ms <= INT32_MAX)
		wheel_arm(&server->wheel, &request->timer, tick + request->timeout_ms);
}

void umad_drop_request(struct server *server, struct request *request)
{
	struct umad_file *file = request->agent->file;

	wheel_disarm(&server->wheel, &request->timer);
	file->outstanding--;
	requests_remove(&file->port->requests, request);
}

/* The request's own header and MAD header, with the status that says what happened. */
static void give_notice(struct server *server, struct request *request)
{
	struct umad_file *file = request->agent->file;
	size_t header_bytes = umad_file_header_bytes(file);
	struct message *message = umad_file_push(server, file, QUEUE_MAX);
	struct ib_user_mad header;

	if (!message)
		return;
	memcpy(&header, request->header, sizeof(header));
	header.status = ETIMEDOUT;
	memcpy(message->bytes, &header, header_bytes);
	memcpy(message->bytes + header_bytes, request->packet.mad, MAD_HEADER_BYTES);
	message->length = (uint32_t)(header_bytes + MAD_HEADER_BYTES);
}

static void expire(struct server *server, struct request *request)
{
	struct device_port *port = request->agent->file->port;
	struct count_kind *kind = counts_of(&server->counts, request->packet.mad);

	if (request->retries_left) {
		request->retries_left--;
		kind->retried++;
		umad_start_timeout(server, request);
		fabric_send(server->fabric, port->endpoint, &request->packet, server->now);
		return;
	}
	kind->timed_out++;
	give_notice(server, request);
	umad_drop_request(server, request);
}

void umad_expire(struct server *server)
{
	struct wheel_timer *timer, *next;

	timer = wheel_take_expired(&server->wheel, server->now / NS_PER_MS);
	for (; timer; timer = next) {
		next = timer->next;
		expire(server,
		       (struct request *)(void *)((char *)timer - offsetof(struct request, timer)));
	}
}
