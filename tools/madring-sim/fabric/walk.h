/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the forwarding tables as they are: whether every host reaches every host by each of its
 * LIDs, and every switch. No packet is sent and no time passes.
 */
#ifndef SIM_WALK_H
#define SIM_WALK_H

#include "fabric/fabric.h"

/* The end of the way of a packet that is not an SMP. */
enum walk_end {
	WALK_UNKNOWN,
	WALK_REACHED,
	WALK_NO_LID,   /* the destination has none */
	WALK_NO_ENTRY, /* a switch has no entry for the LID */
	WALK_NO_LINK,  /* an entry names a port that is down, or absent */
	WALK_INACTIVE, /* a port on the way is not active */
	WALK_DEAD,     /* a node on the way is dead */
	WALK_ASTRAY,   /* the way leads to a port that does not have the LID */
	WALK_LOOP,
	WALK_ENDS
};

/* walk_end_name returns "no LID", and so on. */
const char *walk_end_name(enum walk_end end);

struct walk_failure {
	const struct topology_node *from, *to,
		*at; /* at: where the way ends, or a node of the loop */
	unsigned int from_port, to_port;
	uint16_t lid; /* 0: none */
	enum walk_end end;
};

#define WALK_FAILURES 16

struct fabric_walk {
	/* The ports that need LIDs: those of hosts, routers among them, and of switches. */
	uint64_t host_ports, switches;
	uint64_t left_out; /* host ports and switches that are dead, or whose links are all down */
	/* The ways, one for each LID: from host to host, and between hosts and switches. */
	uint64_t host_ways, host_ways_reached;
	uint64_t switch_ways, switch_ways_reached;
	uint64_t ended[WALK_ENDS];
	struct walk_failure failure[WALK_FAILURES]; /* the first ones */
	unsigned int failure_count;
};

/* fabric_walk returns 0 or -ENOMEM. */
int fabric_walk(const struct fabric *fabric, struct fabric_walk *walk);

/* walk_is_complete tells whether every way reaches its destination. */
bool walk_is_complete(const struct fabric_walk *walk);

#endif
