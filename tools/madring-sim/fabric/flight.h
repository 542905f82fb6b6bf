/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet on its way: to a node, through its agent, and back as the reply. */
#ifndef SIM_FLIGHT_H
#define SIM_FLIGHT_H

#include "fabric/inside.h"
#include "fabric/packet.h"

/*
 * Each step does one thing to the flight and returns the next step. STEP_GONE: the flight waits
 * for a time, has come out, or was dropped; the caller no longer has it.
 */
enum step {
	STEP_LEAVE,  /* the node sends it */
	STEP_ENTER,  /* it has come to the node by a port */
	STEP_PASS,   /* the node's SMI has passed it on */
	STEP_CROSS,  /* it goes over the link of the port out */
	STEP_ARRIVE, /* it is for this node */
	STEP_SERVE,  /* the agent has worked on it */
	STEP_TAKE,   /* the kernel of an endpoint has taken it */
	STEP_GONE,
};

struct flight {
	struct event event;
	struct flight *next; /* the next flight that has arrived */
	enum step step;	     /* taken when the event fires */
	struct place at;     /* the port it came in by, or is sent from */
	uint8_t out;	     /* the port to leave by */
	uint8_t lid_hops;
	bool has_tried; /* its chance was drawn on this way */
	bool answered;
	int endpoint;	      /* where it has come out */
	uint16_t kind;	      /* of a request: position in stats.kind */
	uint32_t node_starts; /* of the node that it waits in */
	uint64_t travelled;   /* ns, without waiting */
	struct node *passed_on_by;
	struct node *before, *target; /* of a round trip: see stats_count_round_trip() */
	struct fabric_packet packet;
};

/* flight_start sends a packet from a node's port. A source LID of 0 is filled in. */
void flight_start(struct fabric *fabric, const struct place *from,
		  const struct fabric_packet *packet);

/* flight_take_arrival takes the first packet that has come out at an endpoint, if there is one. */
bool flight_take_arrival(struct fabric *fabric, int *endpoint, struct fabric_packet *packet);

#endif
