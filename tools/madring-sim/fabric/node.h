/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a node and its ports are now. Attributes are kept as they stand in an SMP's data, made
 * with libibmad when something changes, so that an answer is one copy.
 */
#ifndef SIM_NODE_H
#define SIM_NODE_H

#include "topology/topology.h"

#define ATTRIBUTE_BYTES 64

#define LINEAR_FDB_CAP	     49152
#define MULTICAST_FDB_CAP    1024
#define LFT_DROP	     0xff
#define MAX_LID_HOPS	     64 /* no forwarding table is right that leads through more switches */
#define GUID_CAP_CA	     32
#define GUID_CAP_SWITCH	     1
#define PKEY_CAP_CA	     64
#define PKEY_CAP_SWITCH	     8	/* of its port 0 */
#define PKEY_CAP_SWITCH_PORT 64 /* of the others */
#define VL_ARBITRATION_CAP   8	/* entries, of each priority */

enum port_state_value { PORT_DOWN = 1, PORT_INIT = 2, PORT_ARMED = 3, PORT_ACTIVE = 4 };
enum phys_state_value { PHYS_SLEEP = 1, PHYS_POLLING = 2, PHYS_DISABLED = 3, PHYS_LINK_UP = 5 };

#define PORT_INFO_STATE 32 /* the byte, whose lower half PortState is */

struct counters;
struct samples;

struct port {
	struct node *peer; /* NULL: no cable */
	uint8_t peer_port;
	uint8_t lmc;
	uint16_t lid;
	bool up;	/* the link's physical state is LinkUp */
	bool cable_out; /* taken out; at one end or at both */
	bool disabled;	/* PortPhysicalState */
	bool fdr10, fdr10_enabled;
	int endpoint;	 /* -1: nobody is attached */
	uint32_t queued; /* MADs that wait for the node's agent or SMI, or are served */
	uint64_t guid;
	uint64_t ready_at;	    /* when training ends; FABRIC_NEVER: none is under way */
	uint64_t lease_end;	    /* of its M_Key; FABRIC_NEVER: it is not running out */
	struct port_tables *tables; /* NULL: nothing was set */
	uint32_t pkey_sets;	    /* see struct fabric_port_state */
	struct notices *notices;    /* NULL: it never had to tell anything */
	struct counters *counters;  /* NULL: none has ever moved */
	uint8_t port_info[ATTRIBUTE_BYTES];
};

/* What does one thing after the other. */
struct worker {
	uint64_t free_at;    /* ns */
	uint64_t done, busy; /* how much so far, and ns */
};

struct node {
	const struct topology_node *topology;
	enum node_type type;
	uint8_t port_count;
	uint8_t health;	   /* enum fabric_health */
	struct port *port; /* port_count + 1 */
	uint8_t node_info[ATTRIBUTE_BYTES];
	uint8_t description[ATTRIBUTE_BYTES];
	uint8_t switch_info[ATTRIBUTE_BYTES];
	uint8_t *lft; /* its first lft_size entries; all others drop */
	uint32_t lft_size;
	uint32_t lft_top; /* LinearFDBTop: a higher LID is dropped */
	uint8_t *mft;	  /* its first mft_size bytes; all others have no ports */
	uint32_t mft_size;

	struct samples *samples; /* NULL: its PMA was never asked to take any */

	uint64_t service, lateness; /* ns; see fabric_set_service() */
	uint32_t starts;	    /* how often it was switched on again */
	struct worker agent;
	struct worker smi; /* where it passes SMPs on */
	/* The shortest chain of round trips to an answer of this node. */
	uint64_t chain;
	uint32_t chain_trips; /* 0: it has not answered yet */
};

/* Fills in all nodes of a topology; their ports are entries of @ports, in order. */
void node_setup(struct node *nodes, struct port *ports, const struct topology *topology);

/* As it comes up: no LIDs, no tables, links down. Whoever is attached stays so. */
void node_restart(struct node *node);

/* Gives back what a node has come to hold. */
void node_free(struct node *node);

static inline unsigned int port_state(const struct port *port)
{
	return port->port_info[PORT_INFO_STATE] & 0xf;
}

/* The port that has a node's LIDs, by one that a packet has come in by. */
static inline struct port *lid_port(const struct node *node, unsigned int number)
{
	return &node->port[node->type == NODE_SWITCH ? 0 : number];
}

/* The port that a switch sends packets to a LID out by; LFT_DROP: none. */
static inline uint8_t node_exit(const struct node *node, uint16_t lid)
{
	return lid <= node->lft_top && lid < node->lft_size ? node->lft[lid] : LFT_DROP;
}

/* Whether @lid is one of the port's. */
static inline bool port_has_lid(const struct port *port, uint16_t lid)
{
	return port->lid && lid >= port->lid && lid - port->lid < 1 << port->lmc;
}

#endif
