/* SPDX-License-Identifier: BSD-2-Clause */
#include "server/rmpp.h"

#define VERSION_OFFSET 24
#define TYPE_OFFSET    25
#define STATUS_OFFSET  27
#define SEGMENT_OFFSET 28
#define LENGTH_OFFSET  32

static uint32_t get32(const uint8_t *where)
{
	uint32_t wire;

	memcpy(&wire, where, sizeof(wire));
	return be32toh(wire);
}

static void put32(uint8_t *where, uint32_t value)
{
	uint32_t wire = htobe32(value);

	memcpy(where, &wire, sizeof(wire));
}

struct rmpp_header rmpp_header(const uint8_t *mad)
{
	return (struct rmpp_header){
		.version = mad[VERSION_OFFSET],
		.type = mad[TYPE_OFFSET],
		.flags = mad[MAD_RMPP_FLAGS] & RMPP_FLAGS,
		.status = mad[STATUS_OFFSET],
		.segment = get32(mad + SEGMENT_OFFSET),
		.length = get32(mad + LENGTH_OFFSET),
	};
}

void rmpp_set_header(uint8_t *mad, const struct rmpp_header *header)
{
	mad[VERSION_OFFSET] = header->version;
	mad[TYPE_OFFSET] = header->type;
	mad[MAD_RMPP_FLAGS] = (uint8_t)((mad[MAD_RMPP_FLAGS] & ~RMPP_FLAGS) | header->flags);
	mad[STATUS_OFFSET] = header->status;
	put32(mad + SEGMENT_OFFSET, header->segment);
	put32(mad + LENGTH_OFFSET, header->length);
}

/* answer sends a packet back to its sender, with the packet's class header and this RMPP header. */
static void answer(struct server *server, const struct agent *agent,
		   const struct fabric_packet *packet, const struct rmpp_header *header)
{
	size_t header_bytes = mad_class_header_bytes(mad_class(packet->mad));
	struct fabric_packet reply = *packet;

	fabric_turn(&reply);
	memset(reply.mad + header_bytes, 0, sizeof(reply.mad) - header_bytes);
	mad_set_method(reply.mad, mad_method(packet->mad) ^ UMAD_METHOD_RESP_MASK);
	rmpp_set_header(reply.mad, header);
	fabric_send(server->loop.fabric, agent->file->port->endpoint, &reply, server->loop.now);
}

void rmpp_send_ack(struct server *server, const struct agent *agent,
		   const struct fabric_packet *packet, uint32_t segment, uint32_t window)
{
	const struct rmpp_header header = {
		.version = UMAD_RMPP_VERSION,
		.type = RMPP_ACK,
		.flags = UMAD_RMPP_FLAG_ACTIVE,
		.segment = segment,
		.length = window,
	};

	server->counts.rmpp.acks++;
	answer(server, agent, packet, &header);
}

void rmpp_refuse(struct server *server, const struct agent *agent,
		 const struct fabric_packet *packet, enum rmpp_status status)
{
	const struct rmpp_header header = {
		.version = UMAD_RMPP_VERSION,
		.type = status == RMPP_NO_RESOURCES ? RMPP_STOP : RMPP_ABORT,
		.flags = UMAD_RMPP_FLAG_ACTIVE,
		.status = (uint8_t)status,
	};

	server->counts.rmpp.refused++;
	answer(server, agent, packet, &header);
}
