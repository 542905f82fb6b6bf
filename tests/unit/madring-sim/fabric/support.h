/* SPDX-License-Identifier: BSD-2-Clause */
/* The helpers that the fabric's tests share: fabrics to ask, and SMPs to ask with. */
#ifndef TESTS_FABRIC_SUPPORT_H
#define TESTS_FABRIC_SUPPORT_H

#include "fabric/fabric.h"
#include "topologies.h"

#define GET 0x01
#define SET 0x02

/* Opens a fabric without loss over a topology, and attaches to a node. */
struct fabric *open_fabric(struct topology *topology, const char *node, unsigned int port,
			   int *endpoint);

/* Returns a directed-route Get; the path's first entry is the hop after the initial 0. */
struct fabric_packet directed(uint16_t attribute, uint32_t modifier, unsigned int hops,
			      const uint8_t *path);

/* Returns a LID-routed Get. */
struct fabric_packet to_lid(uint16_t lid, uint16_t attribute, uint32_t modifier);

/* Sends a packet. Returns whether an answer came out at once, and at this endpoint. */
bool ask(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
	 struct fabric_packet *answer);

/* Sends a packet; the answer must come at once, with this status. */
void ask_status(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
		uint16_t status, struct fabric_packet *answer);

/* Returns the attribute's data in an SMP. */
uint8_t *data_of(struct fabric_packet *packet);

#endif
