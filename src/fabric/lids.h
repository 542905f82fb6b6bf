/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Requests that are routed by LID, where that is wanted. Switches pass them on like any packet,
 * while a directed route costs each switch on the way the time of its management agent.
 *
 * A fabric need not route SMPs by LID, and its LIDs may be stale. So a node's LID is read by its
 * directed route, from the PortInfo that has it, and its other requests wait meanwhile. Then the
 * node is asked for NodeInfo by that LID. If the same node answers, its other requests go by LID,
 * too; else they go by the directed route. So does each request by LID that fails.
 *
 * Some requests go to a node by its LID, and only from there on by a directed route: those over a
 * cable and back (see discovery.h), and those for the LID of the node behind a port. Not all
 * switches may know that, so one such request is tried first. NodeInfo of an unknown node always
 * goes by the directed route, because no reply would tell nothing of the node.
 */
#ifndef FABRIC_LIDS_H
#define FABRIC_LIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct discovery;
struct node;
struct madring_node_info;
struct query;

#define LIDS 65536u

enum lid_trust {
	LID_UNKNOWN, /* it is yet to be asked for */
	LID_ASKED,   /* the node is asked for it */
	LID_TRIED,   /* a request is under way by it */
	LID_TRUSTED,
	LID_REFUSED,
};

struct lids {
	bool wanted;	      /* set it after discovery_start() */
	bool failed;	      /* too many nodes did not answer by their LIDs; no more are tried */
	struct node **owner;  /* by LID, LIDS of them; NULL: none was wanted yet */
	enum lid_trust mixed; /* of requests that go on by a directed route; never LID_ASKED */
	size_t requests;      /* by LID that have an outcome */
	size_t trusted;	      /* nodes that answered by their LID */
	size_t refused;	      /* nodes that did not, or have no LID of their own */
	size_t lost;	      /* requests by LID that had to be repeated by the directed route */
};

/* A node's LID, and how far it is trusted. */
struct node_lid {
	enum lid_trust trust;
	uint16_t lid;
	uint8_t port;		     /* which has it; 0 of a switch */
	struct query *first, **last; /* the node's requests that wait for the verdict */
};

/*
 * Chooses the way of a query that is to be sent: fills in its .lid and .is_beyond. Returns false if
 * it has to wait for the verdict on its node's LID, and keeps it until then.
 */
bool lids_route(struct discovery *discovery, struct query *query);

/* Undoes lids_route() for a query that could not be sent yet. */
void lids_put_back(struct discovery *discovery, const struct query *query);

/* Notes that a query was answered. */
void lids_take_reply(struct discovery *discovery, const struct query *query);

/*
 * Takes the PortInfo that the others to its node wait for. Returns whether the node has to be asked
 * for NodeInfo by its LID.
 */
bool lids_take_port_info(struct discovery *discovery, const struct query *query);

/* Takes the NodeInfo that a node's LID led to. */
void lids_take_node_info(struct discovery *discovery, const struct query *query,
			 const struct madring_node_info *info);

/*
 * Notes that a query by LID has failed, and has to be repeated by the directed route. @is_unusable:
 * so have all others to its node.
 */
void lids_lose(struct discovery *discovery, const struct query *query, bool is_unusable);

/*
 * Notes that a query has its outcome. Returns whether the node's requests need not wait any longer;
 * they are in .lid of the node.
 */
bool lids_end(struct discovery *discovery, const struct query *query);

#endif
