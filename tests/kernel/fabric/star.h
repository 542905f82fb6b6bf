/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fabric's shape: one switch, with the virtual HCA's ports at its first ports and a host at
 * each other one.
 */
#ifndef VM_STAR_H
#define VM_STAR_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/umad_sm.h>

#include "../../../tools/madring-sim/vhca/vhca_abi.h"

#define STAR_MAX_HOSTS 200

struct star {
	uint64_t guid;	/* the HCA's; the others' follow it */
	uint8_t ports;	/* the HCA's, with cables */
	uint8_t planes; /* of its only port, the first with its cable; 0: it has none */
	uint8_t hosts;
	uint32_t capability_mask[VHCA_MAX_PLANES];
	char node_desc[VHCA_NODE_DESC_BYTES];
};

/* Returns how many ports the HCA's SMA has: each plane is one. */
uint8_t star_hca_ports(const struct star *star);
/* Returns the LID of a port of the HCA, from 1. Planes share it. */
uint16_t star_lid(const struct star *star, uint8_t port);
/* Returns the port of the HCA with that LID, or 0. */
uint8_t star_port_of(const struct star *star, uint16_t lid);
/* Tells whether the switch or a host has that LID. */
bool star_has(const struct star *star, uint16_t lid);
/* Returns the record that says what a port of the HCA looks like. */
struct vhca_port_record star_port(const struct star *star, uint8_t port);

/*
 * Has the end of a directed route answer the SMP, in place. Returns false if the route leads
 * nowhere.
 */
bool star_directed(const struct star *star, uint8_t port, struct umad_smp *smp);
/* Has the node with that LID answer the SMP, in place. */
void star_routed(const struct star *star, uint16_t lid, struct umad_smp *smp);

#endif
