/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends what programs write: it is checked as ib_umad checks it, and sent into the fabric. A MAD
 * without a reply is sent again as often as the program asked for, and then given back.
 */
#include <errno.h>

#include "server/device.h"
#include "server/mad.h"
#include "server/rmpp.h"
#include "server/route.h"

static void reject(struct server *server, enum reject reason)
{
	server->counts.rejected[reason]++;
}

/* fill_packet copies @length bytes of a MAD; of a message in segments, the class header. */
static void fill_packet(const struct umad_file *file, const struct agent *agent,
			const struct ib_user_mad *header, const uint8_t *mad, size_t length,
			struct fabric_packet *packet)
{
	const struct fabric_port_state *state = &file->port->state;
	uint16_t path_bits = header->addr.path_bits & ((1u << state->lmc) - 1);

	packet->slid = state->lid | path_bits;
	packet->dlid = be16toh(header->addr.lid);
	packet->sqp = agent->qpn;
	packet->dqp = be32toh(header->addr.qpn);
	packet->sl = header->addr.sl & 0xf;
	grh_from_address(&header->addr, state, packet);
	memcpy(packet->mad, mad, length);
	memset(packet->mad + length, 0, MAD_BYTES - length);
	if (!mad_is_response(packet->mad))
		mad_set_tid(packet->mad, agent->hi_tid);
	if (agent_leaves_rmpp(agent))
		memset(packet->mad + MAD_HEADER_BYTES, 0, MAD_RMPP_BYTES - MAD_HEADER_BYTES);
}

static bool is_duplicate(const struct umad_file *file, const struct agent *agent,
			 const struct fabric_packet *packet)
{
	const struct outstanding_table *table = &file->port->outstanding;
	uint64_t tid = mad_tid(packet->mad);
	uint8_t mgmt_class = mad_class(packet->mad);

	if (agent_takes_rmpp(agent, packet->mad))
		return false;
	if (mad_is_response(packet->mad))
		return outstanding_response(table, tid, mgmt_class, packet->dlid);
	return outstanding_request(table, tid, mgmt_class);
}

/* give_notice gives the program its own header and the MAD header back, with the status. */
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

/*
 * try_again sends an entry again, or puts it at the end of the backlog. Returns false if it has no
 * retries left.
 */
static bool try_again(struct server *server, struct outstanding *entry)
{
	if (!entry->retries_left)
		return false;
	entry->retries_left--;
	if (!entry->rmpp) {
		umad_send_outstanding(server, entry);
		return true;
	}
	if (!rmpp_send_again(server, entry))
		return false;
	counts_of(&server->counts, entry->packet.mad)->retried++;
	return true;
}

static void expire_outstanding(struct server *server, struct wheel_timer *timer)
{
	struct outstanding *entry =
		(struct outstanding *)(void *)((char *)timer - offsetof(struct outstanding, timer));
	struct agent *agent = entry->agent;

	if (!try_again(server, entry)) {
		counts_of(&server->counts, entry->packet.mad)->timed_out++;
		give_notice(server, entry);
		umad_drop_outstanding(server, entry);
	}
	umad_send_waiting(server, agent);
}

/* keep remembers a MAD that waits for a reply or for ACKs. Returns NULL if it cannot be sent. */
static struct outstanding *keep(struct server *server, struct umad_file *file, struct agent *agent,
				const struct ib_user_mad *header,
				const struct fabric_packet *packet)
{
	struct outstanding_table *table = &file->port->outstanding;
	struct outstanding *entry = NULL;

	if (is_duplicate(file, agent, packet)) {
		reject(server, REJECT_DUPLICATE);
		return NULL;
	}
	if (file->outstanding < FILE_OUTSTANDING)
		entry = outstanding_add(table, agent, packet);
	if (!entry) {
		reject(server, REJECT_LIMIT);
		return NULL;
	}
	file->outstanding++;
	if (table->count > server->counts.outstanding_peak)
		server->counts.outstanding_peak = table->count;
	memcpy(entry->header, header, sizeof(entry->header));
	entry->timer.fire = expire_outstanding;
	entry->timeout_ms = header->timeout_ms;
	entry->retries_left = header->retries;
	return entry;
}

/*
 * Takes a message that a program has written, and sends it in segments as the kernel's RMPP does.
 */
static void send_segments(struct server *server, struct umad_file *file, struct agent *agent,
			  const struct ib_user_mad *header, const uint8_t *mad, size_t length)
{
	uint8_t mgmt_class = mad_class(mad);
	size_t header_bytes = mad_class_header_bytes(mgmt_class);
	struct outstanding *entry;
	struct fabric_packet packet;

	if (file->sending + length > FILE_SENDING)
		return reject(server, REJECT_LIMIT);
	fill_packet(file, agent, header, mad, header_bytes, &packet);
	entry = keep(server, file, agent, header, &packet);
	if (!entry)
		return;
	entry->rmpp = rmpp_send_new(mgmt_class, mad + header_bytes, length - header_bytes);
	if (!entry->rmpp) {
		umad_drop_outstanding(server, entry);
		reject(server, REJECT_LIMIT);
		return;
	}
	entry->rmpp_bytes = length - header_bytes;
	file->sending += entry->rmpp_bytes;
	counts_of(&server->counts, packet.mad)->written++;
	rmpp_send_start(server, entry);
}

/*
 * Takes a MAD that a program has written, keeps it until its reply if it expects one, and sends
 * it.
 */
static void send_mad(struct server *server, struct umad_file *file, struct agent *agent,
		     const struct ib_user_mad *header, const uint8_t *mad, size_t length)
{
	struct outstanding *entry = NULL;
	struct fabric_packet packet;

	fill_packet(file, agent, header, mad, length, &packet);
	if (mad_class(packet.mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE &&
	    !route_is_good(packet.mad, file->port->hca->node->type == NODE_SWITCH,
			   file->port->number))
		return reject(server, REJECT_ROUTE);
	if (header->timeout_ms || server->kernel.version->completes_late) {
		entry = keep(server, file, agent, header, &packet);
		if (!entry)
			return;
	}
	counts_of(&server->counts, packet.mad)->written++;
	if (header->timeout_ms) {
		entry->is_limited =
			kernel_limits_mad(packet.mad, header->timeout_ms, agent->rmpp_version);
		umad_send_outstanding(server, entry);
		return;
	}
	if (entry) {
		entry->is_unfinished = true;
		LIST_INSERT_HEAD(&file->unfinished, entry, unfinished_link);
	}
	fabric_send(server->loop.fabric, file->port->endpoint, &packet, server->loop.now);
}

void umad_written(struct server *server, struct umad_file *file, const uint8_t *message,
		  size_t length)
{
	size_t header_bytes = umad_file_header_bytes(file), mad_bytes = length - header_bytes;
	const uint8_t *mad = message + header_bytes;
	struct ib_user_mad header = { 0 };
	struct agent *agent;

	file->used = true;
	if (length < header_bytes + MAD_RMPP_BYTES ||
	    mad_bytes < mad_class_header_bytes(mad_class(mad)))
		return reject(server, REJECT_SHORT);
	memcpy(&header, message, header_bytes);
	agent = header.agent_id < FILE_AGENTS ? file->agent[header.agent_id] : NULL;
	if (!agent)
		return reject(server, REJECT_AGENT);
	if (agent_leaves_rmpp(agent) && !mad_class_has_rmpp(mad_class(mad)))
		return reject(server, REJECT_RMPP);

	if (agent_leaves_rmpp(agent) && mad_rmpp_active(mad)) {
		if (mad_bytes > SIM_MESSAGE_MAX)
			return reject(server, REJECT_LONG);
		return send_segments(server, file, agent, &header, mad, mad_bytes);
	}
	if (mad_bytes > MAD_BYTES)
		return reject(server, REJECT_LONG);
	send_mad(server, file, agent, &header, mad, mad_bytes);
}

void umad_finish_writes(struct server *server, struct umad_file *file)
{
	struct outstanding *entry;

	while ((entry = LIST_FIRST(&file->unfinished)))
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
