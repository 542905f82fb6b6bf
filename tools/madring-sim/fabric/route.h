/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a packet through the fabric. Both walks start at the port that sends, move the
 * place to where the packet arrives, and change the SMP as the switches between do.
 */
#ifndef SIM_ROUTE_H
#define SIM_ROUTE_H

#include "node.h"

struct place {
	struct node *node;
	unsigned int port;
};

enum route_result {
	ROUTE_ARRIVED,
	ROUTE_NOWHERE, /* no way there: a port that is down or absent, no LID, a bad table */
	ROUTE_INVALID, /* a switch or the sender's own port discards such an SMP */
};

/* A directed-route SMP, out (D = 0) or back (D = 1): IBA 14.2.2. */
enum route_result route_directed(struct place *place, uint8_t *mad);

/* To @lid by the forwarding tables. */
enum route_result route_by_lid(struct place *place, uint16_t lid);

#endif
