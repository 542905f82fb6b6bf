/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The discovery decides what to ask next, given what was answered. It sends nothing and waits for
 * nothing: queries are taken from it, and their outcomes are given back in any order.
 *
 * Each node, from the local one on, is asked once for its NodeDescription, SwitchInfo and PortInfo
 * of its ports. Each port of a switch whose link is up leads to the next NodeInfo, unless that port
 * is known to be the far end of a cable that was walked already. levels.h has the order of queries
 * that makes it known in time.
 *
 * NodeInfo names the port by which a node answers, but two nodes may wrongly have the same GUID. So
 * the cable is proved by the PortInfo of the far port: that request goes to its node on the way by
 * which the node was found, out by the port, and back by the port that the cable came from. Only if
 * the SMP's return path names both ports is the cable known; else NodeInfo is asked for from this
 * end, too, and shows who is there (see cables.h). Of nodes that share a GUID only the one that
 * answered first is walked through, so that no fabric, however wrong, is walked without end; the
 * others are reported. A limit ends the walk of a fabric that invents nodes, and branch.h says how
 * that limit is shared.
 */
#ifndef FABRIC_DISCOVERY_H
#define FABRIC_DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "branch.h"
#include "earlier.h"
#include "graph.h"
#include "levels.h"
#include "lids.h"
#include "problem.h"

/* A Get of an attribute, from the time it is queued to its outcome. */
struct query {
	struct query *next;
	struct query *sent_next, **sent_link; /* of those in flight, for whoever sends it */
	struct node *via;		      /* the way: to this node (NULL: the local one) */
	uint8_t exit;			      /* and out by this port; 0: that node itself */
	uint16_t attribute;
	uint32_t modifier;
	struct node *node;	 /* whom it is about; NULL until NodeInfo tells */
	uint8_t back;		 /* of PortInfo, the port of the far end that returns it; 0: none */
	uint16_t lid;		 /* to which it goes; 0: by the directed route from here */
	bool is_beyond;		 /* that LID is of .via */
	bool is_directed;	 /* it has failed by LID */
	bool decides_lid;	 /* others to .node wait for it: see lids.h */
	bool is_straight;	 /* it went without a reply, or astray, over a cable and back */
	struct problem *problem; /* of a conflict: which to describe */
	bool proves_way;	 /* of NodeInfo: that a recalled link is still there */
	unsigned int searches;	 /* M_Keys tried at an unknown node; for whoever sends it */
	bool has_mkey;		 /* it has the M_Key of the query that was answered on its way */
	uint64_t mkey;
};

/* A discovery_seen is called for each valid NodeInfo, of a new node or of a known one. */
typedef void (*discovery_seen)(void *context, const struct query *query, const struct node *node,
			       uint8_t port, bool is_new);

/*
 * A discovery_link_seen is called for each cable, when one end is first seen to lead to the other.
 */
typedef void (*discovery_link_seen)(void *context, const struct port *from, const struct port *to);

/* A discovery_problem_seen is called for each problem. */
typedef void (*discovery_problem_seen)(void *context, const struct problem *problem);

/* A discovery_port_seen is called for each PortInfo. */
typedef void (*discovery_port_seen)(void *context, const struct port *port);

/* A discovery_node_known is called when all queries about a node have been answered. */
typedef void (*discovery_node_known)(void *context, const struct node *node);

struct discovery {
	struct madring_fabric *fabric;
	struct problems problems;
	struct query *first, **last; /* to be sent */
	struct branches branches;    /* they decide which queries wait for others */
	struct levels levels;	     /* and so do they */
	struct lids lids;
	struct earlier earlier; /* may be opened after discovery_start() */
	struct {
		size_t proved; /* cables, by a request over them and back */
		size_t lost;   /* such requests without a reply */
	} cables;
	size_t waiting;	       /* queries to be sent, those that wait included */
	size_t dropped;	       /* queries that were stopped, canceled or cut off with .cut */
	size_t max_nodes;      /* set by discovery_start(); may be lowered then */
	struct problem *limit; /* there are too many nodes, or ports; NULL: not so */
	struct node *cut;      /* the branch with most ports when .limit was set, or NULL */
	bool stopped;
	bool deadline_reached; /* its deadline has stopped it: see run.h */
	discovery_seen seen;   /* may be NULL */
	void *seen_context;
	discovery_link_seen link_seen;	     /* may be NULL, with .seen_context */
	discovery_problem_seen problem_seen; /* may be NULL, with .seen_context */
	discovery_node_known node_known;     /* may be NULL, with .seen_context */
	size_t problems_told;
	int error;		       /* -ENOMEM: the discovery has to be given up; 0: none */
	discovery_port_seen port_seen; /* may be NULL */
	void *port_context;
};

/* Begins a discovery with a query for the local node. */
void discovery_start(struct discovery *discovery, struct madring_fabric *fabric);

/* Frees what the discovery has, except for its fabric. The fabric must still be there. */
void discovery_end(struct discovery *discovery);

/* Gives the discovery up for @error. */
static inline void discovery_fail(struct discovery *discovery, int error)
{
	if (!discovery->error)
		discovery->error = error;
	discovery->stopped = true;
}

/* Returns the next query to be sent, or NULL if there is none for now. */
struct query *discovery_take(struct discovery *discovery);

/* Puts back a query that could not be sent yet. It is the next one to be taken. */
void discovery_put_back(struct discovery *discovery, struct query *query);

/* Returns the LID of the local port, or 0 if it has none. */
static inline uint16_t discovery_own_lid(const struct discovery *discovery)
{
	const struct madring_fabric *fabric = discovery->fabric;

	return fabric->root ? port_lid(&fabric->root->port[fabric->root_port]) : 0;
}

/*
 * Returns how many queries without an outcome others wait for, which lead further away. 0: none
 * waits.
 */
size_t discovery_in_the_way(const struct discovery *discovery);

/* Lets the nearest queries that wait go on. Call it when the fabric is idle for want of queries. */
void discovery_hurry(struct discovery *discovery);

/*
 * Fills @route with the directed route of a query: from the local node, or from the one with .lid
 * if that is not 0.
 */
void query_route(const struct query *query, struct route *route);

/* Returns the management class of a query: that of directed routes, or of SMPs by LID. */
uint8_t query_class(const struct query *query);

/* Takes the reply to a query, @length bytes of a MAD, and frees the query. */
void discovery_reply(struct discovery *discovery, struct query *query, const void *mad,
		     size_t length);

/* Notes that a query has no reply, and frees it. @error is the status of the completion. */
void discovery_no_reply(struct discovery *discovery, struct query *query, int error);

/*
 * Joins the ports by cables once all outcomes are in, and notes nodes that share a GUID. It may
 * make queries to describe these; the discovery is complete when their outcomes are in. Returns
 * false if it made queries that prove recalled links instead; call it again when their outcomes are
 * in.
 */
bool discovery_settle(struct discovery *discovery);

/* Drops what is not sent yet, and makes no more queries. */
void discovery_stop(struct discovery *discovery);

/* Returns whether everything was asked and answered. */
bool discovery_complete(const struct discovery *discovery);

/*
 * The functions below are those of the discovery's own files. `discovery_ask` queues a copy of a
 * query; `discovery_end_query` frees one that has its outcome, or will have none;
 * `discovery_append_kept` moves the queries that a node has kept to those that are to be sent; and
 * `discovery_recall` answers one from the earlier fabric, and frees it.
 */
void discovery_append_kept(struct discovery *discovery, struct node *node);
void discovery_ask(struct discovery *discovery, const struct query *query);
void discovery_end_query(struct discovery *discovery, struct query *query);
void discovery_recall(struct discovery *discovery, struct query *query);

#endif
