/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs write: checked as ib_umad checks it, and sent into the fabric. */
#include "mad.h"
#include "device.h"

static void reject(struct server *server, enum reject reason)
{
	server->counts.rejected[reason]++;
}

/* The header of the class stands before the data and must be there in full. */
static size_t class_header_bytes(uint8_t mgmt_class)
{
	if (mgmt_class == UMAD_CLASS_SUBN_ADM)
		return 56;
	if (mgmt_class == UMAD_CLASS_DEVICE_MGMT || mgmt_class == UMAD_CLASS_DEVICE_ADM ||
	    mgmt_class == UMAD_CLASS_BIS)
		return 64;
	if (mad_is_vendor2(mgmt_class))
		return 40;
	return MAD_HEADER_BYTES;
}

/* Whether ib_mad would start this SMP on its way from an HCA's port. */
static bool route_is_good(const struct server *server, const struct device_port *port,
			  const uint8_t *mad)
{
	struct umad_smp smp;

	memcpy(&smp, mad, sizeof(smp));
	if (be16toh(smp.dr_slid) != MAD_PERMISSIVE || be16toh(smp.status) & MAD_STATUS_DIR)
		return true;
	if (smp.hop_ptr || smp.hop_cnt >= UMAD_SMP_MAX_HOPS)
		return false;
	if (server->node->type == NODE_SWITCH)
		return true;
	if (smp.hop_cnt)
		return smp.initial_path[1] == port->number;
	return be16toh(smp.dr_dlid) == MAD_PERMISSIVE;
}

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
	memcpy(packet->mad, mad, length);
	memset(packet->mad + length, 0, MAD_BYTES - length);
	if (!mad_is_response(packet->mad))
		mad_set_tid(packet->mad, agent->hi_tid);
}

/* Remembers a request that waits for its reply. */
static bool keep_request(struct server *server, struct umad_file *file, struct agent *agent,
			 const struct ib_user_mad *header, const struct fabric_packet *packet)
{
	struct requests *requests = &file->port->requests;
	struct request *request;

	if (requests_find(requests, mad_tid(packet->mad), mad_class(packet->mad))) {
		reject(server, REJECT_DUPLICATE);
		return false;
	}
	request = NULL;
	if (file->outstanding < FILE_REQUESTS)
		request = requests_add(requests, agent, packet);
	if (!request) {
		reject(server, REJECT_LIMIT);
		return false;
	}
	file->outstanding++;
	if (requests->count > server->counts.outstanding_peak)
		server->counts.outstanding_peak = requests->count;
	memcpy(request->header, header, sizeof(request->header));
	request->timeout_ms = header->timeout_ms;
	request->retries_left = header->retries;
	umad_start_timeout(server, request);
	return true;
}

void umad_written(struct server *server, struct umad_file *file, const uint8_t *message,
		  size_t length)
{
	size_t header_bytes = umad_file_header_bytes(file), mad_bytes = length - header_bytes;
	const uint8_t *mad = message + header_bytes;
	struct fabric_packet packet;
	struct ib_user_mad header = { 0 };
	struct agent *agent;

	file->used = true;
	if (length < header_bytes + MAD_RMPP_BYTES ||
	    mad_bytes < class_header_bytes(mad_class(mad)))
		return reject(server, REJECT_SHORT);
	memcpy(&header, message, header_bytes);
	agent = header.agent_id < FILE_AGENTS ? file->agent[header.agent_id] : NULL;
	if (!agent)
		return reject(server, REJECT_AGENT);
	if (mad_rmpp_active(mad) && !agent_takes_rmpp(agent, mad))
		return reject(server, REJECT_RMPP);
	if (mad_bytes > MAD_BYTES)
		return reject(server, REJECT_LONG);

	fill_packet(file, agent, &header, mad, mad_bytes, &packet);
	if (mad_class(packet.mad) == UMAD_CLASS_SUBN_DIRECTED_ROUTE &&
	    !route_is_good(server, file->port, packet.mad))
		return reject(server, REJECT_ROUTE);
	if (header.timeout_ms && !mad_is_response(packet.mad) &&
	    !keep_request(server, file, agent, &header, &packet))
		return;
	counts_of(&server->counts, packet.mad)->written++;
	fabric_send(server->fabric, file->port->endpoint, &packet, server->now);
}
