/* SPDX-License-Identifier: BSD-2-Clause */
/* The outstanding sends of umad files, and the messages that their programs are given. */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "server/device.h"
#include "server/mad.h"

/* umad_start_timeout never fires early: the tick that has begun does not count. */
void umad_start_timeout(struct server *server, struct outstanding *entry, uint32_t ms)
{
	uint64_t tick = (server->loop.now + NS_PER_MS - 1) / NS_PER_MS;

	if (ms <= INT32_MAX)
		wheel_arm(&server->wheel, &entry->timer, tick + ms);
	else
		wheel_disarm(&server->wheel, &entry->timer);
}

static void leave_backlog(struct server *server, struct outstanding *entry)
{
	if (entry->place == PLACE_BACKLOG)
		server->counts.waiting--;
	backlog_leave(&entry->agent->backlog, entry);
}

void umad_drop_outstanding(struct server *server, struct outstanding *entry)
{
	struct umad_file *file = entry->agent->file;

	wheel_disarm(&server->wheel, &entry->timer);
	leave_backlog(server, entry);
	if (entry->is_unfinished)
		LIST_REMOVE(entry, unfinished_link);
	file->outstanding--;
	file->sending -= entry->rmpp_bytes;
	free(entry->rmpp);
	outstanding_remove(&file->port->outstanding, entry);
}

/* transmit sends an entry. Its timeout starts now, however long the entry has waited. */
static void transmit(struct server *server, struct outstanding *entry)
{
	if (entry->was_sent)
		counts_of(&server->counts, entry->packet.mad)->retried++;
	entry->was_sent = true;
	umad_start_timeout(server, entry, entry->timeout_ms);
	fabric_send(server->loop.fabric, entry->agent->file->port->endpoint, &entry->packet,
		    server->loop.now);
}

void umad_send_outstanding(struct server *server, struct outstanding *entry)
{
	struct counts *counts = &server->counts;

	leave_backlog(server, entry);
	if (backlog_enter(&entry->agent->backlog, entry)) {
		transmit(server, entry);
		return;
	}
	counts->held++;
	counts->waiting++;
	if (counts->waiting > counts->waiting_peak)
		counts->waiting_peak = counts->waiting;
}

void umad_send_waiting(struct server *server, struct agent *agent)
{
	struct outstanding *entry;

	while ((entry = backlog_next(&agent->backlog))) {
		server->counts.waiting--;
		transmit(server, entry);
	}
}

/*
 * same_path tells whether a reply comes by the path of its request: a LID-routed reply must come to
 * the LID, or with a GRH to the GID, that the request came from.
 */
static bool same_path(const struct device_port *port, const struct outstanding *request,
		      const struct fabric_packet *reply)
{
	uint16_t mask = (uint16_t)((1u << port->state.lmc) - 1);

	if (mad_class(reply->mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		return true;
	if (!grh_fits(&request->packet, reply))
		return false;
	return reply->has_grh || !((request->packet.slid ^ reply->dlid) & mask);
}

struct outstanding *umad_find_sent(const struct device_port *port,
				   const struct fabric_packet *packet)
{
	uint64_t tid = mad_tid(packet->mad);
	uint8_t mgmt_class = mad_class(packet->mad);
	struct outstanding *request;

	if (!mad_is_response(packet->mad))
		return outstanding_response(&port->outstanding, tid, mgmt_class, packet->slid);
	request = outstanding_request(&port->outstanding, tid, mgmt_class);
	return request && same_path(port, request, packet) ? request : NULL;
}

static void flush_later(struct server *server, struct umad_file *file)
{
	if (file->to_flush)
		return;
	file->to_flush = true;
	file->next_to_flush = server->to_flush;
	server->to_flush = file;
}

struct message *umad_file_push(struct server *server, struct umad_file *file, size_t bound)
{
	struct message *message = NULL;

	if (file->queue.count < bound)
		message = message_queue_push(&file->queue);
	if (!message) {
		server->counts.overflowed++;
		return NULL;
	}
	flush_later(server, file);
	return message;
}

static bool push_block(struct server *server, struct umad_file *file, uint8_t *block,
		       uint8_t *start, uint32_t length)
{
	struct message_queue *queue = &file->queue;

	if (queue->count >= FILE_RECEIVED ||
	    !message_queue_push_block(queue, block, start, length)) {
		server->counts.overflowed++;
		free(block);
		return false;
	}
	flush_later(server, file);
	return true;
}

/*
 * umad_file_flush sends what is queued. A reader that has gone is noticed later, when its socket is
 * read.
 */
void umad_file_flush(struct server *server, struct umad_file *file)
{
	int error = message_queue_flush(&file->queue, file->source.fd);
	bool waits = error == -EAGAIN;

	if (error && !waits) {
		server->counts.unread += file->queue.count;
		message_queue_free(&file->queue);
	}
	if (waits == file->waits_for_room)
		return;
	file->waits_for_room = waits;
	source_set_events(&server->loop, &file->source, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

/* header_of returns the umad header of a message of @length bytes. */
static struct ib_user_mad header_of(const struct agent *agent, const struct fabric_packet *packet,
				    size_t length)
{
	const struct umad_file *file = agent->file;
	uint16_t path_mask = (uint16_t)((1u << file->port->state.lmc) - 1);
	struct ib_user_mad header = {
		.agent_id = agent->id,
		.length = (uint32_t)(umad_file_header_bytes(file) + length),
	};

	header.addr.qpn = htobe32(packet->sqp);
	header.addr.lid = htobe16(packet->slid);
	header.addr.sl = packet->sl;
	grh_to_address(packet, &header.addr);
	if (packet->dlid != MAD_PERMISSIVE)
		header.addr.path_bits = (uint8_t)(packet->dlid & path_mask);
	return header;
}

void umad_deliver(struct server *server, struct agent *agent, const struct fabric_packet *packet)
{
	struct umad_file *file = agent->file;
	size_t header_bytes = umad_file_header_bytes(file);
	struct message *message = umad_file_push(server, file, FILE_RECEIVED);
	struct ib_user_mad header;

	if (!message)
		return;
	header = header_of(agent, packet, MAD_BYTES);
	memcpy(message->bytes, &header, header_bytes);
	memcpy(message->bytes + header_bytes, packet->mad, MAD_BYTES);
	message->length = header.length;
	counts_of(&server->counts, packet->mad)->received++;
}

/* deliver_block delivers a message of any length, in @block behind room for a umad header. */
static void deliver_block(struct server *server, struct agent *agent,
			  const struct fabric_packet *first, uint8_t *block, size_t length)
{
	struct umad_file *file = agent->file;
	size_t header_bytes = umad_file_header_bytes(file);
	uint8_t *start = block + MAD_UMAD_HEADER - header_bytes;
	struct ib_user_mad header = header_of(agent, first, length);

	memcpy(start, &header, header_bytes);
	if (push_block(server, file, block, start, header.length))
		counts_of(&server->counts, first->mad)->received++;
}

void umad_deliver_message(struct server *server, struct agent *agent,
			  const struct fabric_packet *first, uint8_t *block, size_t length)
{
	if (mad_is_response(first->mad)) {
		struct outstanding *request = umad_find_sent(agent->file->port, first);

		if (!request || request->agent != agent) {
			server->counts.unmatched++;
			free(block);
			return;
		}
		umad_drop_outstanding(server, request);
		umad_send_waiting(server, agent);
	}
	deliver_block(server, agent, first, block, length);
}
