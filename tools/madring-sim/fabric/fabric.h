/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fabric: a pure model in virtual time of nodes that answer MADs and links that carry
 * them. It reads no clock, makes no system call, and knows neither sockets nor devices:
 * packets go in at an endpoint (a port that a program is attached to), packets come out at
 * endpoints, and time is an argument in ns. The same calls with the same seed give the same
 * answers.
 */
#ifndef SIM_FABRIC_H
#define SIM_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "topology.h"

#define FABRIC_MAD_BYTES 256
#define FABRIC_NEVER	 UINT64_MAX

struct fabric;

struct fabric_config {
	uint64_t seed;
	double loss; /* probability that one traversal, request or reply, is lost; 0 to 1 */
};

/* A MAD and its addressing, as it is on the wire. */
struct fabric_packet {
	uint16_t slid, dlid; /* host order; 0xffff permissive */
	uint32_t sqp, dqp;
	uint8_t sl;
	_Alignas(8) uint8_t mad[FABRIC_MAD_BYTES]; /* libibmad reads whole words */
};

/* Takes the topology over. 0, -EINVAL or -ENOMEM. */
int fabric_open(struct fabric **fabric, struct topology *topology,
		const struct fabric_config *config);
void fabric_close(struct fabric *fabric);
const struct topology *fabric_topology(const struct fabric *fabric);

/* Makes a port an endpoint; packets to it that its own agents do not answer (replies, traps,
   requests for registered classes) come out there. Returns its number, or -errno. */
int fabric_attach(struct fabric *fabric, struct topology_node *node, unsigned int port);

/* What the attached port looks like now: LID, state, SM LID... for sysfs. */
struct fabric_port_state {
	uint16_t lid, sm_lid;
	uint8_t lmc, sm_sl, state, phys_state, width, speed, speed_ext;
	uint32_t capability_mask;
	uint64_t gid_prefix, guid;
};
void fabric_port_state(const struct fabric *fabric, int endpoint, struct fabric_port_state *state);

/* A node that never answers again, nor forwards. */
void fabric_kill(struct fabric *fabric, struct topology_node *node);

/* Sends a packet from an endpoint. A directed-route SMP has hop pointer 0 when it starts. */
void fabric_send(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
		 uint64_t now);

/* When fabric_receive() may next have something; FABRIC_NEVER. */
uint64_t fabric_next_event(const struct fabric *fabric);

/* The next packet that has come out by @now, at *@endpoint. False: none. */
bool fabric_receive(struct fabric *fabric, uint64_t now, int *endpoint,
		    struct fabric_packet *packet);

struct fabric_stats {
	uint64_t sent, delivered, answered, lost, unroutable, discarded;
};
const struct fabric_stats *fabric_stats(const struct fabric *fabric);

#endif
