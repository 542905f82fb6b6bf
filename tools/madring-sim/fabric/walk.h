/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A look at the forwarding tables as they are: whether every host reaches every host by each of
 * its LIDs, and the switches. No packet is sent and no time passes.
 */
#ifndef SIM_WALK_H
#define SIM_WALK_H

#include "fabric/fabric.h"

/* What becomes of a packet that is not an SMP. */
enum walk_end {
	WALK_UNKNOWN,
	WALK_REACHED,
	WALK_NO_LID,   /* where it should go has none */
	WALK_NO_ENTRY, /* a switch has no entry for the LID */
	WALK_NO_LINK,  /* an entry names a port that is down, or absent */
	WALK_INACTIVE, /* a port on the way is not active */
	WALK_DEAD,     /* a node on the way is */
	WALK_ASTRAY,   /* it comes to a port that the LID does not belong to */
	WALK_LOOP,
	WALK_ENDS
};

/* "no LID", and so on. */
const char *walk_end_name(enum walk_end end);

struct walk_failure {
	const struct topology_node *from, *to, *at; /* at: where it ends; one of those in a loop */
	unsigned int from_port, to_port;
	uint16_t lid; /* 0: none */
	enum walk_end end;
};

#define WALK_FAILURES 16

struct fabric_walk {
	/* Ports with LIDs to have: of hosts, by which routers are meant too, and of switches. */
	uint64_t host_ports, switches;
	uint64_t left_out; /* host ports and switches that are dead, or whose links are all down */
	/* One way for each LID: from host to host, and between hosts and switches. */
	uint64_t host_ways, host_ways_reached;
	uint64_t switch_ways, switch_ways_reached;
	uint64_t ended[WALK_ENDS];
	struct walk_failure failure[WALK_FAILURES]; /* the first ones */
	unsigned int failure_count;
};

/* 0 or -ENOMEM. */
int fabric_walk(const struct fabric *fabric, struct fabric_walk *walk);

/* Whether every way leads there. */
bool walk_is_complete(const struct fabric_walk *walk);

#endif
