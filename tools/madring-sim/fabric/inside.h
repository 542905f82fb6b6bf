/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of a fabric, which all its parts share. */
#ifndef SIM_INSIDE_H
#define SIM_INSIDE_H

#include "fabric/model.h"
#include "fabric/node.h"
#include "fabric/queue.h"
#include "fabric/slab.h"
#include "fabric/stats.h"

struct endpoint;
struct flight;
struct flow;

struct fabric {
	struct topology *topology;
	struct node *nodes; /* as topology->nodes */
	struct port *ports; /* of all nodes, in order */
	size_t port_count;
	struct fabric_model model;
	struct queue queue;
	struct flight *arrivals, **last_arrival; /* packets that have come out at an endpoint */
	struct slabs flights;
	struct fabric_stats stats;
	struct kind_index kinds; /* as stats.kind */
	struct endpoint *endpoints;
	int endpoint_count;
	struct flow *flows; /* see traffic.h */
	size_t flow_count;
	uint64_t seed;
	uint64_t random;
	uint64_t now;
};

static inline struct node *fabric_node(const struct fabric *fabric,
				       const struct topology_node *node)
{
	return &fabric->nodes[node->index];
}

/* fabric_port returns a port that the fabric's user names, or NULL if the node has none such. */
static inline struct port *fabric_port(const struct fabric *fabric,
				       const struct topology_node *topology_node,
				       unsigned int number)
{
	const struct node *node = fabric_node(fabric, topology_node);

	if (number > node->port_count || (!number && node->type != NODE_SWITCH))
		return NULL;
	return &node->port[number];
}

/* node_service returns how long a node's agent works on one MAD, in ns. */
static inline uint64_t node_service(const struct fabric *fabric, const struct node *node)
{
	return node->service == FABRIC_AS_MODEL ? fabric->model.service[node->type] : node->service;
}

/* worker_delay keeps a worker busy for so many ns more. Returns when it is free again. */
static inline uint64_t worker_delay(const struct fabric *fabric, struct worker *worker, uint64_t ns)
{
	if (worker->free_at < fabric->now)
		worker->free_at = fabric->now;
	worker->free_at = time_after(worker->free_at, ns);
	return worker->free_at;
}

/* worker_take has a worker work on one more MAD. Returns when it is done. */
static inline uint64_t worker_take(const struct fabric *fabric, struct worker *worker,
				   uint64_t work)
{
	worker->done++;
	worker->busy += work;
	return worker_delay(fabric, worker, work);
}

static inline void fabric_drop(struct fabric *fabric, enum fabric_drop cause)
{
	fabric->stats.dropped[cause]++;
}

#endif
