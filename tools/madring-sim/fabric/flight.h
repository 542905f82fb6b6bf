/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet on its way: to a node, through its agent, and back with the answer. */
#ifndef SIM_FLIGHT_H
#define SIM_FLIGHT_H

#include "inside.h"

/* Starts a packet from a node's port. */
void flight_start(struct fabric *fabric, const struct place *from,
		  const struct fabric_packet *packet);

/* The first packet that has come out at an endpoint. False: none has. */
bool flight_take_arrival(struct fabric *fabric, int *endpoint, struct fabric_packet *packet);

void flights_free(struct fabric *fabric);

#endif
