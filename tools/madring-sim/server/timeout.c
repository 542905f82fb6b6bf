/* SPDX-License-Identifier: BSD-2-Clause */
/* What has had no reply: sent again as often as was asked for, then given back. */
#include <errno.h>
#include <stdlib.h>

#include "server/device.h"
#include "server/rmpp.h"

/* Never early: the tick that has begun doesn't count. A negative timeout waits for ever. */
void umad_start_timeout(struct server *server, struct outstanding *entry, uint32_t ms)
{
	uint64_t tick = (server->loop.now + NS_PER_MS - 1) / NS_PER_MS;

	if (ms <= INT32_MAX)
		wheel_arm(&server->wheel, &entry->timer, tick + ms);
	else
		wheel_disarm(&server->wheel, &entry->timer);
}

void umad_drop_outstanding(struct server *server, struct outstanding *entry)
{
	struct umad_file *file = entry->agent->file;

	wheel_disarm(&server->wheel, &entry->timer);
	file->outstanding--;
	if (entry->rmpp)
		file->sending -= rmpp_send_bytes(entry->rmpp);
	free(entry->rmpp);
	outstanding_remove(&file->port->outstanding, entry);
}

/* Its own header and MAD header, with the status that says what happened. */
static void give_notice(struct server *server, struct outstanding *entry)
{
	struct umad_file *file = entry->agent->file;
	size_t header_bytes = umad_file_header_bytes(file);
	struct message *message = umad_file_push(server, file, QUEUE_MAX);
	struct ib_user_mad header;

	if (!message)
		return;
	memcpy(&header, entry->header, sizeof(header));
	header.status = ETIMEDOUT;
	memcpy(message->bytes, &header, header_bytes);
	memcpy(message->bytes + header_bytes, entry->packet.mad, MAD_HEADER_BYTES);
	message->length = (uint32_t)(header_bytes + MAD_HEADER_BYTES);
}

/* False: there is nothing left to try. */
static bool try_again(struct server *server, struct outstanding *entry)
{
	if (!entry->retries_left)
		return false;
	entry->retries_left--;
	if (entry->rmpp)
		return rmpp_send_again(server, entry);
	umad_start_timeout(server, entry, entry->timeout_ms);
	fabric_send(server->loop.fabric, entry->agent->file->port->endpoint, &entry->packet,
		    server->loop.now);
	return true;
}

void umad_outstanding_expired(struct server *server, struct wheel_timer *timer)
{
	struct outstanding *entry =
		(struct outstanding *)(void *)((char *)timer - offsetof(struct outstanding, timer));
	struct count_kind *kind = counts_of(&server->counts, entry->packet.mad);

	if (try_again(server, entry)) {
		kind->retried++;
		return;
	}
	kind->timed_out++;
	give_notice(server, entry);
	umad_drop_outstanding(server, entry);
}

void umad_expire(struct server *server)
{
	struct wheel_timer *timer, *next;

	timer = wheel_take_expired(&server->wheel, server->loop.now / NS_PER_MS);
	for (; timer; timer = next) {
		next = timer->next;
		timer->fire(server, timer);
	}
}
