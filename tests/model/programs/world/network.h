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

/* The hosts that programs run on. The first is attached to network_root(). */
unsigned int network_hosts(void);
const struct topology_node *network_host(unsigned int host);
unsigned int network_host_port(unsigned int host);
void network_port_state(unsigned int host, struct fabric_port_state *state);

void network_send(unsigned int host, const struct fabric_packet *packet);
/* Takes a packet that has come out of the fabric at a host. Returns false if there is none. */
bool network_receive(unsigned int *host, struct fabric_packet *packet);
/*
 * Attaches to a host's first port, and has the packets that come out there passed to @take. Returns
 * the endpoint.
 */
int network_attach(const struct topology_node *host,
		   void (*take)(const struct fabric_packet *packet));
/* Returns when something happens next, or FABRIC_NEVER. */
uint64_t network_next_event(void);

#endif
