/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a node and of its ports. Attributes are kept as they stand in an SMP's data, and
 * changed there with libibmad, so that a reply is one copy.
 */
#ifndef SIM_NODE_H
#define SIM_NODE_H

#include "fabric/model.h"
#include "fabric/stats.h"
#include "topology/topology.h"

#define ATTRIBUTE_BYTES 64

#define LINEAR_FDB_CAP	     49152
#define MULTICAST_FDB_CAP    1024
#define LFT_DROP	     0xff
#define MAX_LID_HOPS	     64 /* no correct forwarding table leads through more switches */
#define GUID_CAP_CA	     32
#define GUID_CAP_SWITCH	     1
#define PKEY_CAP_CA	     64
#define PKEY_CAP_SWITCH	     8	/* of its port 0 */
#define PKEY_CAP_SWITCH_PORT 64 /* of its other ports */
#define VL_ARBITRATION_CAP   8	/* entries of each priority */

enum port_state_value { PORT_DOWN = 1, PORT_INIT = 2, PORT_ARMED = 3, PORT_ACTIVE = 4 };
enum phys_state_value { PHYS_SLEEP = 1, PHYS_POLLING = 2, PHYS_DISABLED = 3, PHYS_LINK_UP = 5 };

#define PORT_INFO_STATE 32 /* the byte whose lower half is PortState */

struct counters;
struct samples;

struct port {
	struct node *peer; /* NULL: no cable */
	uint8_t peer_port;
	uint8_t lmc;
	uint16_t lid;
	bool up;	/* the physical state is LinkUp */
	bool cable_out; /* unplugged, at either end */
	bool disabled;	/* by PortPhysicalState */
	bool fdr10, fdr10_enabled;
	int endpoint;	 /* -1: none is attached */
	uint32_t queued; /* MADs that wait for the node's agent or SMI, or are served */
	uint64_t guid;
	uint64_t ready_at;	    /* when training ends; FABRIC_NEVER: it is not in training */
	uint64_t lease_end;	    /* of the M_Key; FABRIC_NEVER: it does not run out */
	struct port_tables *tables; /* NULL: none was ever set */
	uint32_t pkey_sets;	    /* see struct fabric_port_state */
	struct notices *notices;    /* NULL: it has never sent a trap */
	struct counters *counters;  /* NULL: none has ever moved */
	uint8_t port_info[ATTRIBUTE_BYTES];
};

/* An agent or SMI, which works on one MAD after the other. */
struct worker {
	uint64_t free_at;    /* ns */
	uint64_t done, busy; /* MADs so far, and ns spent on them */
};

struct node {
	const struct topology_node *topology;
	enum node_type type;
	uint8_t port_count;
	uint8_t health;	   /* enum fabric_health; ask node_answers() and so on */
	struct port *port; /* port_count + 1 */
	uint8_t node_info[ATTRIBUTE_BYTES];
	uint8_t description[ATTRIBUTE_BYTES];
	uint8_t switch_info[ATTRIBUTE_BYTES];
	uint8_t *lft; /* its first lft_size entries; all others drop */
	uint32_t lft_size;
	uint32_t lft_top; /* LinearFDBTop: packets to a higher LID are dropped */
	uint8_t *mft;	  /* its first mft_size bytes; all others have no ports */
	uint32_t mft_size;

	struct samples *samples; /* NULL: its PMA was never asked to take any */

	uint64_t service, lateness; /* ns; see fabric_set_service() */
	uint32_t starts;	    /* how often it was switched off */
	struct worker agent;
	struct worker smi;	 /* passes SMPs on */
	struct trip_chain chain; /* the shortest to a reply of this node; 0 trips: none yet */
	uint64_t *dropped;	 /* MADs, by enum fabric_drop; NULL: none yet */
};

/* A place in the fabric: a node, and one of its ports. */
struct place {
	struct node *node;
	unsigned int port;
};

/* node_answers tells whether a node's agents work. Only these three functions ask for .health. */
static inline bool node_answers(const struct node *node)
{
	return fabric_health_meaning[node->health].answers;
}

/* node_forwards tells whether packets get through a node, and whether it sends any. */
static inline bool node_forwards(const struct node *node)
{
	return fabric_health_meaning[node->health].forwards;
}

/* node_has_links tells whether a node's links may be up. */
static inline bool node_has_links(const struct node *node)
{
	return fabric_health_meaning[node->health].has_links;
}

static inline unsigned int port_state(const struct port *port)
{
	return port->port_info[PORT_INFO_STATE] & 0xf;
}

static inline struct port *port_at(const struct place *place)
{
	return &place->node->port[place->port];
}

/* lid_port returns the port that has the LIDs of a node, given the port a packet came in by. */
static inline struct port *lid_port(const struct node *node, unsigned int number)
{
	return &node->port[node->type == NODE_SWITCH ? 0 : number];
}

/* node_exit returns the port by which a switch sends packets to a LID, or LFT_DROP. */
static inline uint8_t node_exit(const struct node *node, uint16_t lid)
{
	return lid <= node->lft_top && lid < node->lft_size ? node->lft[lid] : LFT_DROP;
}

/* port_has_lid tells whether @lid is one of the port's. */
static inline bool port_has_lid(const struct port *port, uint16_t lid)
{
	return port->lid && lid >= port->lid && lid - port->lid < 1 << port->lmc;
}

#endif
