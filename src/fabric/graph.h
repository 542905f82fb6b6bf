/* SPDX-License-Identifier: BSD-2-Clause */
/* The fabric as a discovery finds it: nodes by their GUID, their ports, and the cables between. */
#ifndef FABRIC_GRAPH_H
#define FABRIC_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <madring/structs.h>

#include "public.h"
#include "node_attributes.h"
#include "branch.h"
#include "hash/keyed_hash.h"
#include "lids.h"
#include "problem.h"
#include "directed_route.h"

/*
 * No subnet has more than 49,151 unicast LIDs. A fabric with far more nodes is not real, and a
 * sweep must not follow it until memory is exhausted. The limits are twice what a real fabric
 * needs: see branch.h.
 */
#define FABRIC_MAX_NODES MADRING_SWEEP_MAX_NODES
#define FABRIC_MAX_PORTS MADRING_SWEEP_MAX_PORTS

struct node;

struct port {
	struct madring_node_port public;
	/* These are .public.node and .public.peer, which cables.h describes. */
	struct node *node;
	struct port *peer;
	struct port *reaches;	 /* what answered when the sweep went out by this port */
	struct port *reached_by; /* the first port that reaches this one */
	struct port_info info;	 /* zeroed until it is known */
	bool asked;		 /* its PortInfo was asked for */
	bool asked_speeds2;	 /* it was asked for again, as by one who knows extended speeds */
	/* The members below are about an earlier fabric: see earlier.h. */
	bool is_recalled;      /* its PortInfo is that of the earlier fabric */
	bool is_distrusted;    /* another link leads to it than before */
	bool was_crossed;      /* a query went out by it; by port 0: to its node */
	bool is_link_recalled; /* what it reaches is recalled, and not proved yet */
};

struct node {
	struct madring_node public;
	struct node *next; /* of the same hash bucket */
	const struct madring_fabric *fabric;
	size_t place; /* in the list of nodes */
	bool has_switch_info;
	struct madring_switch_info switch_info; /* zeroed until it is known */
	struct branch branch;
	struct node_lid lid;
	bool placed;		/* it has its place in the order of nodes */
	unsigned int asked_for; /* queries about it that have no outcome */
	bool is_partial;	/* a query about it had no valid reply */
	/* The members below are about an earlier fabric: see earlier.h. */
	const struct node *earlier; /* the same node there; NULL: none. Valid in the sweep only */
	struct port *found_by;	    /* the port that led to it first; NULL: it is the local node */
	bool is_recalled;	    /* it is not looked at, and seems to be as before */
	char description[DESCRIPTION_BYTES + 1]; /* .public.description points to it */
	struct port port[]; /* .public.port_count + 1; port 0 is a switch's own */
};

#define FABRIC_BUCKETS 65536u

struct madring_fabric {
	struct node **nodes; /* as found, and in canonical order once ordered */
	size_t node_count, node_room;
	size_t port_count;
	struct node *root; /* the local node; NULL until it answers */
	uint8_t root_port; /* the local port */
	struct hash_key key;
	struct problems problems; /* once the sweep has ended */
	struct madring_sweep_state state;
	bool is_complete;
	bool is_short; /* of memory: a node is missing */
	struct node *bucket[FABRIC_BUCKETS];
};

/* Returns an empty fabric, or NULL when memory is exhausted. */
struct madring_fabric *fabric_new(void);
void fabric_free(struct madring_fabric *fabric);

struct node *fabric_find(const struct madring_fabric *fabric, uint64_t node_guid);

/* Returns the first port with a GUID, in the order of the nodes, or NULL. */
const struct port *fabric_find_port(const struct madring_fabric *fabric, uint64_t port_guid);

/*
 * Adds a node. Returns NULL when there are as many nodes or ports as there may be; or when memory
 * is exhausted, and .is_short is set then.
 */
struct node *fabric_add(struct madring_fabric *fabric, const struct madring_node_info *info,
			const struct route *route);

/* Returns how many nodes of a type there are. */
size_t fabric_count(const struct madring_fabric *fabric, enum madring_node_type type);

/* Returns how many cables there are. */
size_t fabric_cables(const struct madring_fabric *fabric);

/* Returns the most hops to any node. */
unsigned int fabric_hops(const struct madring_fabric *fabric);

/* Returns whether requests go out by this port, as it is of a switch or the local one. */
bool port_leads_on(const struct madring_fabric *fabric, const struct port *port);

/* Returns the LID of packets to the port. A switch has one LID for all its ports. */
uint16_t port_lid(const struct port *port);

/* Returns whether a port has LinkSpeedExtActive2 and LinkSpeedExtSupported2. */
bool port_has_speeds2(const struct port *port);

/*
 * `port_speed_ext` returns LinkSpeedExtActive, or LinkSpeedExtActive2 from bit 5 on, where that is
 * not 0; and `port_speed_ext_supported` returns both masks of supported speeds in the same way.
 * They return 0 where the port has neither.
 */
uint8_t port_speed_ext(const struct port *port);
uint8_t port_speed_ext_supported(const struct port *port);

/* Returns the route to a node: the one by which it was reached first, or the canonical one. */
static inline struct route node_route(const struct node *node)
{
	struct route route = { .hops = node->public.hops };

	memcpy(route.port, node->public.path, sizeof(route.port));
	return route;
}

static inline void node_set_route(struct node *node, const struct route *route)
{
	node->public.hops = route->hops;
	memcpy(node->public.path, route->port, sizeof(node->public.path));
}

/*
 * Sets what a port has by its own PortInfo and by that of its switch's port 0: LID and extended
 * speeds. Call it when either is new.
 */
void port_combine(struct port *port);
/* Sets the places of the nodes, and what ports and problems have by others. */
void fabric_settle(struct madring_fabric *fabric);

/* Returns whether a list that has each cable once has it at this end. */
bool port_is_first_end(const struct port *port);

#endif
