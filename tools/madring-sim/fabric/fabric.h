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

/* Takes the topology over when it succeeds. 0, -EINVAL (no node, bad loss) or -ENOMEM. */
int fabric_open(struct fabric **fabric, struct topology *topology,
		const struct fabric_config *config);
void fabric_close(struct fabric *fabric);
const struct topology *fabric_topology(const struct fabric *fabric);

/* Makes a port an endpoint; packets to it that its own agents do not answer (replies, traps,
   requests for registered classes) come out there. A switch's is its port 0. Returns its
   number, the same for the same port; -EINVAL (no such port) or -ENOMEM. */
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

/*
 * Sends a packet from an endpoint. A source LID of 0 is filled in. The endpoint's port does its
 * SMI's part: a directed-route request starts with hop pointer 0, and its answer comes out with
 * 0. A request that comes out, for a manager there, has hop count + 1, and so has the answer
 * that the manager sends. Only SMPs are modelled: other classes are discarded, and counted.
 */
void fabric_send(struct fabric *fabric, int endpoint, const struct fabric_packet *packet,
		 uint64_t now);

/* When fabric_receive() may next have something; FABRIC_NEVER. */
uint64_t fabric_next_event(const struct fabric *fabric);

/* The next packet that has come out by @now, at *@endpoint. False: none. */
bool fabric_receive(struct fabric *fabric, uint64_t now, int *endpoint,
		    struct fabric_packet *packet);

struct fabric_stats {
	uint64_t sent;	     /* by endpoints */
	uint64_t delivered;  /* taken by fabric_receive() */
	uint64_t answered;   /* by SMAs */
	uint64_t lost;	     /* by chance; requests and answers */
	uint64_t unroutable; /* no way there: no cable, no forwarding entry, a dead node */
	uint64_t discarded;  /* invalid, of another class, for nobody, or no memory */
};
const struct fabric_stats *fabric_stats(const struct fabric *fabric);

#endif
