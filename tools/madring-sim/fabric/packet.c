/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "fabric/fabric.h"

#define SGID	  8 /* in a GRH */
#define DGID	  24
#define GID_BYTES 16

void fabric_turn(struct fabric_packet *packet)
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
	memcpy(gid, packet->grh + SGID, sizeof(gid));
	memcpy(packet->grh + SGID, packet->grh + DGID, sizeof(gid));
	memcpy(packet->grh + DGID, gid, sizeof(gid));
}
