/* SPDX-License-Identifier: BSD-2-Clause */
/* The fabric of a scenario: made, routed, given its faults, and changed as time goes on. */
#ifndef MODEL_NETWORK_H
#define MODEL_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"

struct scenario;

void network_open(const struct scenario *scenario);
void network_close(void);

/* Returns the fabric itself, the node that the program is attached to, and the port. */
struct fabric *network_fabric(void);
const struct topology_node *network_root(void);
unsigned int network_root_port(void);
void network_port_state(struct fabric_port_state *state);

void network_send(const struct fabric_packet *packet);
/* Takes a packet that has come out of the fabric. Returns false if there is none. */
bool network_receive(struct fabric_packet *packet);
/* Attaches to a host's first port, and has the packets that come out there passed to @take. Returns
   the endpoint. */
int network_attach(const struct topology_node *host,
		   void (*take)(const struct fabric_packet *packet));
/* Returns when something happens next, or FABRIC_NEVER. */
uint64_t network_next_event(void);

#endif
