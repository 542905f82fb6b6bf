/* SPDX-License-Identifier: BSD-2-Clause */
/* What comes out of the fabric: matched as ib_mad matches it, and given to its agent's file. */
#include "mad.h"
#include "device.h"

static void deliver(struct server *server, struct agent *agent, const struct fabric_packet *packet)
{
	struct umad_file *file = agent->file;
	size_t header_bytes = umad_file_header_bytes(file);
	struct message *message = umad_file_push(server, file, FILE_RECEIVED);
	struct ib_user_mad header = { 0 };
	uint16_t path_mask = (uint16_t)((1u << file->port->state.lmc) - 1);

	if (!message)
		return;
	header.agent_id = agent->id;
	header.length = (uint32_t)(header_bytes + MAD_BYTES);
	header.addr.qpn = htobe32(packet->sqp);
	header.addr.lid = htobe16(packet->slid);
	header.addr.sl = packet->sl;
	if (packet->dlid != MAD_PERMISSIVE)
		header.addr.path_bits = (uint8_t)(packet->dlid & path_mask);
	memcpy(message->bytes, &header, header_bytes);
	memcpy(message->bytes + header_bytes, packet->mad, MAD_BYTES);
	message->length = header.length;
	counts_of(&server->counts, packet->mad)->received++;
}

/* A LID-routed reply must come to the LID that the request came from. */
static bool same_path(const struct device_port *port, const struct request *request,
		      const struct fabric_packet *reply)
{
	uint16_t mask = (uint16_t)((1u << port->state.lmc) - 1);

	if (mad_class(reply->mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		return true;
	return !((request->packet.slid ^ reply->dlid) & mask);
}

static void take_response(struct server *server, struct device_port *port,
			  const struct fabric_packet *packet)
{
	uint64_t tid = mad_tid(packet->mad);
	struct request *request = requests_find(&port->requests, tid, mad_class(packet->mad));
	struct agent *agent;

	if (request && same_path(port, request, packet)) {
		agent = request->agent;
		umad_drop_request(server, request);
		deliver(server, agent, packet);
		return;
	}
	agent = agent_of_hi_tid(&port->agents, (uint32_t)(be64toh(tid) >> 32));
	if (agent && agent_takes_rmpp(agent, packet->mad))
		deliver(server, agent, packet);
	else
		server->counts.unmatched++;
}

/* Nobody's Get or Set is answered by ib_mad itself: not supported. */
static void refuse_request(struct server *server, const struct device_port *port,
			   const struct fabric_packet *packet)
{
	uint16_t status = htobe16(UMAD_STATUS_ATTR_NOT_SUPPORTED);
	struct fabric_packet reply = *packet;
	uint8_t method = mad_method(packet->mad);

	server->counts.unclaimed++;
	if (mad_class(packet->mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE)
		return;
	if (method != UMAD_METHOD_GET && method != UMAD_METHOD_SET)
		return;
	reply.slid = packet->dlid;
	reply.dlid = packet->slid;
	reply.sqp = packet->dqp;
	reply.dqp = packet->sqp;
	reply.mad[offsetof(struct umad_hdr, method)] = UMAD_METHOD_GET_RESP;
	memcpy(reply.mad + offsetof(struct umad_hdr, status), &status, sizeof(status));
	fabric_send(server->fabric, port->endpoint, &reply, server->now);
}

void umad_received(struct server *server, struct device_port *port,
		   const struct fabric_packet *packet)
{
	struct agent *agent;

	if (mad_header(packet->mad).base_version != UMAD_BASE_VERSION ||
	    mad_class_is_smp(mad_class(packet->mad)) != (packet->dqp == 0)) {
		server->counts.unmatched++;
		return;
	}
	if (mad_is_response(packet->mad)) {
		take_response(server, port, packet);
		return;
	}
	agent = agent_of_request(&port->agents, packet->mad);
	if (agent)
		deliver(server, agent, packet);
	else
		refuse_request(server, port, packet);
}
