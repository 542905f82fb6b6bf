/* SPDX-License-Identifier: BSD-2-Clause */
/* What ib_mad checks of a directed-route SMP before it sends it. */
#ifndef SIM_ROUTE_H
#define SIM_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#define ROUTE_CLASS	 0x81
#define ROUTE_RETURNS	 0x80 /* of the status: the SMP is on its way back */
#define ROUTE_PERMISSIVE 0xff /* both bytes of a LID that is not used */
#define ROUTE_HOPS	 64   /* the route has fewer */

/* The offsets of the fields in the SMP (IBA 14.2.1.2). */
enum route_offset {
	ROUTE_STATUS = 4,
	ROUTE_HOP_POINTER = 6,
	ROUTE_HOP_COUNT = 7,
	ROUTE_SLID = 32,
	ROUTE_DLID = 34,
	ROUTE_PATH = 128,
};

static inline bool route_has_lid(const uint8_t *mad, enum route_offset which)
{
	return mad[which] != ROUTE_PERMISSIVE || mad[which + 1] != ROUTE_PERMISSIVE;
}

/* route_is_good tells whether ib_mad sends the SMP in the 256 bytes at @mad from a port. */
static inline bool route_is_good(const uint8_t *mad, bool is_switch, unsigned int port)
{
	if (route_has_lid(mad, ROUTE_SLID) || mad[ROUTE_STATUS] & ROUTE_RETURNS)
		return true;
	if (mad[ROUTE_HOP_POINTER] || mad[ROUTE_HOP_COUNT] >= ROUTE_HOPS)
		return false;
	if (is_switch)
		return true;
	if (mad[ROUTE_HOP_COUNT])
		return mad[ROUTE_PATH + 1] == port;
	return !route_has_lid(mad, ROUTE_DLID);
}

#endif
