/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include <string.h>

#include "server/mad.h"

#define IP_VERSION    6
#define NEXT_IS_BTH   0x1b
#define BTH_BYTES     12
#define DETH_BYTES    8
#define ICRC_BYTES    4
#define FLOW_LABEL    0xfffff
#define MAX_HOP_LIMIT 0xff

struct grh {
	uint32_t version_class_flow;
	uint16_t payload_length;
	uint8_t next_header;
	uint8_t hop_limit;
	struct gid {
		uint64_t prefix, guid;
	} source, destination;
};

_Static_assert(sizeof(struct grh) == FABRIC_GRH_BYTES, "as on the wire");
_Static_assert(sizeof(struct gid) == sizeof(((struct ib_mad_addr *)0)->gid), "a GID");

void grh_from_address(const struct ib_mad_addr *address, const struct fabric_port_state *port,
		      struct fabric_packet *packet)
{
	uint32_t flow = be32toh(address->flow_label) & FLOW_LABEL;
	struct grh grh = {
		.version_class_flow = htobe32((uint32_t)IP_VERSION << 28 |
					      (uint32_t)address->traffic_class << 20 | flow),
		.payload_length = htobe16(BTH_BYTES + DETH_BYTES + MAD_BYTES + ICRC_BYTES),
		.next_header = NEXT_IS_BTH,
		.hop_limit = address->hop_limit,
		.source = { .prefix = htobe64(port->gid_prefix), .guid = htobe64(port->guid) },
	};

	packet->has_grh = address->grh_present;
	if (!packet->has_grh)
		return;
	memcpy(&grh.destination, address->gid, sizeof(grh.destination));
	memcpy(packet->grh, &grh, sizeof(packet->grh));
}

void grh_to_address(const struct fabric_packet *packet, struct ib_mad_addr *address)
{
	struct grh grh;
	uint32_t word;

	if (!packet->has_grh)
		return;
	memcpy(&grh, packet->grh, sizeof(grh));
	word = be32toh(grh.version_class_flow);
	address->grh_present = 1;
	address->flow_label = htobe32(word & FLOW_LABEL);
	address->traffic_class = (uint8_t)(word >> 20);
	address->hop_limit = MAX_HOP_LIMIT; /* for the way back */
	memcpy(address->gid, &grh.source, sizeof(grh.source));
}

bool grh_fits(const struct fabric_packet *request, const struct fabric_packet *reply)
{
	struct grh sent, came;

	if (!request->has_grh || !reply->has_grh)
		return request->has_grh == reply->has_grh;
	memcpy(&sent, request->grh, sizeof(sent));
	memcpy(&came, reply->grh, sizeof(came));
	return !memcmp(&sent.source, &came.destination, sizeof(sent.source));
}
