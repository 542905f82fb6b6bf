/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a node and its ports are now. Attributes are kept as they stand in an SMP's data, made
 * with libibmad when something changes, so that an answer is one copy.
 */
#ifndef SIM_NODE_H
#define SIM_NODE_H

#include "topology.h"

#define ATTRIBUTE_BYTES 64

#define LINEAR_FDB_CAP	     49152
#define MULTICAST_FDB_CAP    1024
#define LFT_DROP	     0xff
#define GUID_CAP_CA	     32
#define GUID_CAP_SWITCH	     1
#define PKEY_CAP_CA	     64
#define PKEY_CAP_SWITCH	     8	/* of its port 0 */
#define PKEY_CAP_SWITCH_PORT 64 /* of the others */

enum port_state_value { PORT_DOWN = 1, PORT_INIT = 2, PORT_ARMED = 3, PORT_ACTIVE = 4 };
enum phys_state_value { PHYS_POLLING = 2, PHYS_LINK_UP = 5 };

struct port {
	struct node *peer; /* NULL: no cable */
	uint8_t peer_port;
	uint8_t lmc;
	uint16_t lid;
	int endpoint; /* -1: nobody is attached */
	uint64_t guid;
	uint8_t port_info[ATTRIBUTE_BYTES];
	bool fdr10;
};

struct node {
	const struct topology_node *topology;
	enum node_type type;
	uint8_t port_count;
	bool dead;
	struct port *port; /* port_count + 1 */
	uint8_t node_info[ATTRIBUTE_BYTES];
	uint8_t description[ATTRIBUTE_BYTES];
	uint8_t switch_info[ATTRIBUTE_BYTES];
	uint8_t *lft; /* its first lft_size entries; all others drop */
	uint32_t lft_size;
	uint32_t lft_top; /* LinearFDBTop: a higher LID is dropped */
};

/* Fills in all nodes of a topology; their ports are entries of @ports, in order. */
void node_setup(struct node *nodes, struct port *ports, const struct topology *topology);

/* Whether a packet can leave by, or has come in by, this port. */
static inline bool port_is_up(const struct port *port)
{
	return port->peer && !port->peer->dead;
}

/* Whether @lid is one of the port's. */
static inline bool port_has_lid(const struct port *port, uint16_t lid)
{
	return port->lid && lid >= port->lid && lid - port->lid < 1 << port->lmc;
}

#endif
