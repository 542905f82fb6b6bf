/* SPDX-License-Identifier: BSD-2-Clause */
/* A MAD and its addressing, as on the wire. */
#ifndef SIM_PACKET_H
#define SIM_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define FABRIC_MAD_BYTES 256
#define FABRIC_GRH_BYTES 40

/* The offsets of the GIDs in a GRH. */
#define GRH_SGID  8
#define GRH_DGID  24
#define GID_BYTES 16

struct fabric_packet {
	uint16_t slid, dlid; /* host order; 0xffff permissive */
	uint32_t sqp, dqp;
	uint8_t sl;
	bool has_grh;
	_Alignas(8) uint8_t mad[FABRIC_MAD_BYTES]; /* libibmad reads whole words */
	uint8_t grh[FABRIC_GRH_BYTES];		   /* IBA 8.3, if has_grh */
};

/* fabric_turn swaps source and destination, for a reply. */
static inline void fabric_turn(struct fabric_packet *packet)
{
	uint16_t lid = packet->slid;
	uint32_t qp = packet->sqp;
	uint8_t gid[GID_BYTES];

	packet->slid = packet->dlid;
	packet->dlid = lid;
	packet->sqp = packet->dqp;
	packet->dqp = qp;
	if (!packet->has_grh)
		return;
	memcpy(gid, packet->grh + GRH_SGID, sizeof(gid));
	memcpy(packet->grh + GRH_SGID, packet->grh + GRH_DGID, sizeof(gid));
	memcpy(packet->grh + GRH_DGID, gid, sizeof(gid));
}

#endif
