/* SPDX-License-Identifier: BSD-2-Clause */
/* A packet on its way: to a node, through its agent, and back with the answer. */
#ifndef SIM_FLIGHT_H
#define SIM_FLIGHT_H

#include "fabric/inside.h"

/*
 * Each step does one thing to the flight, and says which is next, until it waits for a time,
 * has come out, or was dropped: then it is no longer the caller's.
 */
enum step {
	STEP_LEAVE,  /* the node sends it */
	STEP_ENTER,  /* it has come to the node by a port */
	STEP_PASS,   /* the node's SMI lets it go on */
	STEP_CROSS,  /* over the link of the port out */
	STEP_ARRIVE, /* it is for this node */
	STEP_SERVE,  /* the agent is done with it */
	STEP_GONE,
};

struct flight {
	struct event event;
	struct flight *next; /* the next flight that has arrived */
	enum step step;	     /* to be done when the event fires */
	struct place at;     /* the port it came in by, or is sent from */
	uint8_t out;	     /* the port to leave by */
	uint8_t lid_hops;
	bool has_tried; /* its luck, on this way */
	bool answered;
	int endpoint;	      /* where it has come out */
	uint16_t kind;	      /* of a request: position in stats.kind */
	uint32_t node_starts; /* of the node that it waits in */
	uint64_t travelled;   /* ns, without the waiting */
	struct node *passed_on_by;
	struct node *before, *target; /* of a round trip: see tally.h */
	struct fabric_packet packet;
};

/* Starts a packet from a node's port. */
void flight_start(struct fabric *fabric, const struct place *from,
		  const struct fabric_packet *packet);

/* The first packet that has come out at an endpoint. False: none has. */
bool flight_take_arrival(struct fabric *fabric, int *endpoint, struct fabric_packet *packet);

/* flight_pool.c */
/* One to fill in; NULL: no memory, which was counted. */
struct flight *flight_take(struct fabric *fabric);
void flight_give_back(struct fabric *fabric, struct flight *flight);

#endif
