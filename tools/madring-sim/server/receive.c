/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes out of the fabric: matched as ib_mad matches it, and given to its agent's file. */
#include <stdlib.h>

#include "server/device.h"
#include "server/grh.h"
#include "server/mad.h"
#include "server/rmpp.h"

/* The umad header of a message of @length bytes. */
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

static void deliver(struct server *server, struct agent *agent, const struct fabric_packet *packet)
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

/* As above, for a message of another length, in @block behind room for a umad header. */
static void deliver_block(struct server *server, struct agent *agent,
			  const struct fabric_packet *first, uint8_t *block, size_t length)
{
	struct umad_file *file = agent->file;
	size_t header_bytes = umad_file_header_bytes(file);
	uint8_t *start = block + MAD_UMAD_HEADER - header_bytes;
	struct ib_user_mad header = header_of(agent, first, length);

	memcpy(start, &header, header_bytes);
	if (umad_file_push_block(server, file, block, start, header.length))
		counts_of(&server->counts, first->mad)->received++;
}

/* A LID-routed reply must come to the LID, or with a GRH to the GID, that the request came from. */
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

void umad_take(struct server *server, struct agent *agent, const struct fabric_packet *first,
	       uint8_t *block, size_t length)
{
	if (mad_is_response(first->mad)) {
		struct outstanding *request = umad_find_sent(agent->file->port, first);

		if (!request || request->agent != agent) {
			server->counts.unmatched++;
			free(block);
			return;
		}
		umad_drop_outstanding(server, request);
	}
	deliver_block(server, agent, first, block, length);
}

static bool is_for_rmpp(const struct agent *agent, const struct fabric_packet *packet)
{
	return agent && agent_leaves_rmpp(agent) && mad_rmpp_active(packet->mad);
}

static void take_response(struct server *server, struct device_port *port,
			  const struct fabric_packet *packet)
{
	uint32_t hi_tid = (uint32_t)(be64toh(mad_tid(packet->mad)) >> 32);
	struct outstanding *request = umad_find_sent(port, packet);
	struct agent *agent = request ? request->agent : agent_of_hi_tid(&port->agents, hi_tid);

	if (is_for_rmpp(agent, packet)) {
		rmpp_received(server, agent, packet);
	} else if (request) {
		umad_drop_outstanding(server, request);
		deliver(server, agent, packet);
	} else if (agent && agent_takes_rmpp(agent, packet->mad)) {
		deliver(server, agent, packet);
	} else {
		server->counts.unmatched++;
	}
}

/* Nobody's Get or Set is answered by ib_mad itself: not supported. */
static void refuse_request(struct server *server, const struct device_port *port,
			   const struct fabric_packet *packet)
{
	uint16_t status = UMAD_STATUS_ATTR_NOT_SUPPORTED;
	struct fabric_packet reply = *packet;
	uint8_t method = mad_method(packet->mad);

	server->counts.unclaimed++;
	if (method != UMAD_METHOD_GET && method != UMAD_METHOD_SET)
		return;
	if (mad_class(packet->mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		status |= MAD_STATUS_DIR;
	status = htobe16(status);
	fabric_turn(&reply);
	mad_set_method(reply.mad, UMAD_METHOD_GET_RESP);
	memcpy(reply.mad + offsetof(struct umad_hdr, status), &status, sizeof(status));
	fabric_send(server->loop.fabric, port->endpoint, &reply, server->loop.now);
}

static void take_request(struct server *server, struct device_port *port,
			 const struct fabric_packet *packet)
{
	struct agent *agent = agent_of_request(&port->agents, packet->mad);

	if (is_for_rmpp(agent, packet))
		rmpp_received(server, agent, packet);
	else if (agent)
		deliver(server, agent, packet);
	else
		refuse_request(server, port, packet);
}

void umad_received(struct server *server, struct device_port *port,
		   const struct fabric_packet *packet)
{
	if (mad_header(packet->mad).base_version != UMAD_BASE_VERSION ||
	    mad_class_is_smp(mad_class(packet->mad)) != (packet->dqp == 0)) {
		server->counts.unmatched++;
		return;
	}
	if (mad_is_response(packet->mad))
		take_response(server, port, packet);
	else
		take_request(server, port, packet);
}
