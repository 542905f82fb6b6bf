/* SPDX-License-Identifier: BSD-2-Clause */
/* Matches a packet that comes out of the fabric as ib_mad matches it, and gives it to its agent. */
#include "server/device.h"
#include "server/mad.h"
#include "server/rmpp.h"

/* give_up ends a transfer at both ends, because of a MAD that makes no sense. */
static void give_up(struct server *server, const struct agent *agent,
		    const struct fabric_packet *packet, enum rmpp_status status)
{
	rmpp_send_aborted(server, agent, packet);
	rmpp_refuse(server, agent, packet, status);
}

static void take_data(struct server *server, struct agent *agent,
		      const struct fabric_packet *packet)
{
	struct rmpp_header header = rmpp_header(packet->mad);
	bool is_first = header.flags & RMPP_FLAG_FIRST;

	if (header.status)
		rmpp_refuse(server, agent, packet, RMPP_BAD_STATUS);
	else if (is_first != (header.segment == 1))
		rmpp_refuse(server, agent, packet, RMPP_BAD_SEGMENT);
	else
		rmpp_receive(server, agent, packet);
}

static void take_ack(struct server *server, const struct agent *agent,
		     const struct fabric_packet *packet)
{
	struct rmpp_header header = rmpp_header(packet->mad);

	if (header.status)
		give_up(server, agent, packet, RMPP_BAD_STATUS);
	else if (header.length < header.segment)
		give_up(server, agent, packet, RMPP_WINDOW_TOO_SMALL);
	else
		rmpp_send_acknowledged(server, agent, packet);
}

static bool ends_with_good_status(const struct rmpp_header *header)
{
	if (header->type == RMPP_STOP)
		return header->status == RMPP_NO_RESOURCES;
	return header->status >= RMPP_TOO_LATE && header->status <= RMPP_ABORT_LAST;
}

/* Takes an active RMPP MAD for an agent that leaves RMPP to the device. */
static void take_rmpp(struct server *server, struct agent *agent,
		      const struct fabric_packet *packet)
{
	struct rmpp_header header = rmpp_header(packet->mad);

	if (header.version != UMAD_RMPP_VERSION) {
		give_up(server, agent, packet, RMPP_BAD_VERSION);
		return;
	}
	switch (header.type) {
	case RMPP_DATA:
		take_data(server, agent, packet);
		break;
	case RMPP_ACK:
		take_ack(server, agent, packet);
		break;
	case RMPP_STOP:
	case RMPP_ABORT:
		rmpp_send_aborted(server, agent, packet);
		if (!ends_with_good_status(&header))
			rmpp_refuse(server, agent, packet, RMPP_BAD_STATUS);
		break;
	default:
		give_up(server, agent, packet, RMPP_BAD_TYPE);
	}
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
		take_rmpp(server, agent, packet);
	} else if (request) {
		umad_drop_outstanding(server, request);
		umad_send_waiting(server, agent);
		umad_deliver(server, agent, packet);
	} else if (agent && agent_takes_rmpp(agent, packet->mad)) {
		umad_deliver(server, agent, packet);
	} else {
		server->counts.unmatched++;
	}
}

/*
 * refuse_request answers a Get or Set that no agent has registered for, as ib_mad itself does: not
 * supported.
 */
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
		take_rmpp(server, agent, packet);
	else if (agent)
		umad_deliver(server, agent, packet);
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
