/* SPDX-License-Identifier: BSD-2-Clause */
/* The fabric's inside: what its parts share, and what it and the nodes' agents owe each other. */
#ifndef SIM_INSIDE_H
#define SIM_INSIDE_H

#include "fabric/fabric.h"
#include "fabric/kind_index.h"
#include "fabric/node.h"
#include "fabric/queue.h"
#include "fabric/slab.h"

struct place {
	struct node *node;
	unsigned int port;
};

struct flight;
struct timer;
struct flow;

struct fabric {
	struct topology *topology;
	struct node *nodes; /* as topology->nodes */
	struct port *ports;
	struct fabric_model model;
	struct queue queue;
	struct timer *timers;
	struct flight *arrivals, **last_arrival; /* what has come out at an endpoint */
	struct slabs flights;
	struct fabric_stats stats;
	struct kind_index kinds; /* as stats.kind */
	struct place *endpoints;
	int endpoint_count;
	struct flow *flows; /* of traffic, see traffic.h */
	size_t flow_count;
	uint64_t seed;
	uint64_t random;
	uint64_t now;
};

/* A MAD that has reached a node, as its agents see it. */
struct agent_request {
	struct fabric *fabric;
	struct node *node;
	unsigned int port; /* that it came in by */
	struct fabric_packet *packet;
	bool any_mkey;	       /* whoever asks need not know it */
	enum fabric_drop drop; /* why, when the agent drops it */
};

enum agent_result {
	AGENT_ANSWERED, /* packet->mad is the answer now; its addresses are turned by the caller */
	AGENT_TAKEN,	/* obeyed, and there is nothing to answer: a TrapRepress */
	AGENT_PASSED,	/* for a manager at this port, if there is one */
	AGENT_DROPPED,
};

/* sma/sma.c: the SMPs. */
enum agent_result sma_answer(struct agent_request *request);

/* pma/pma.c: MADs of performance management. */
enum agent_result pma_answer(struct agent_request *request);

/* flight.c: a MAD that a node's agent sends of itself: a trap. The source LID is filled in. */
void fabric_originate(struct fabric *fabric, struct node *node, unsigned int port,
		      const struct fabric_packet *packet);

/* How long a node's agent works on one MAD, ns. */
static inline uint64_t node_service(const struct fabric *fabric, const struct node *node)
{
	return node->service == FABRIC_AS_MODEL ? fabric->model.service[node->type] : node->service;
}

/* So long after a time; FABRIC_NEVER when no time is as late. */
static inline uint64_t time_after(uint64_t time, uint64_t ns)
{
	return ns < FABRIC_NEVER - time ? time + ns : FABRIC_NEVER;
}

/* Has a worker do so many ns more, behind what it has to do already. Returns the end of it. */
static inline uint64_t worker_take(const struct fabric *fabric, struct worker *worker,
				   uint64_t work)
{
	worker->done++;
	worker->busy += work;
	if (worker->free_at < fabric->now)
		worker->free_at = fabric->now;
	worker->free_at = time_after(worker->free_at, work);
	return worker->free_at;
}

static inline void fabric_drop(struct fabric *fabric, enum fabric_drop cause)
{
	fabric->stats.dropped[cause]++;
}

#endif
