/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The collector decides what to ask next, given what was answered. It sends nothing and waits for
 * nothing: requests are taken from it, and their outcomes are given back in any order.
 *
 * Each node is asked for its ClassPortInfo, which tells what it counts; then for all of that, port
 * by port. A node that does not answer is asked nothing more, so that it costs one timeout. An
 * invalid reply is an error of that attribute of that port, and of nothing else.
 */
#ifndef PERF_COLLECTOR_H
#define PERF_COLLECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "plan.h"

/* A Get or Set, from the time it is queued to its outcome. */
struct request {
	struct request *next;
	void *owner; /* for whoever sends it */
	struct node_counters *node;
	struct port_counters *port; /* NULL: ClassPortInfo */
	enum pma_attribute attribute;
	uint32_t clear; /* the counters that are set to 0; 0: a Get */
};

struct collector {
	struct collection *collection;
	const struct plan *plan;
	struct request *first, **last; /* to be sent */
	size_t waiting;
};

/* Begins a collection with a request for each node that @plan wants. */
void collector_start(struct collector *collector, struct collection *collection,
		     const struct plan *plan);
void collector_end(struct collector *collector);

/* Returns the next request to be sent, or NULL if there is none for now. */
struct request *collector_take(struct collector *collector);

/* The functions below return the destination, method, attribute and data of a request. */
uint16_t request_lid(const struct request *request);
uint8_t request_method(const struct request *request);
uint16_t request_attribute(const struct request *request);
void request_data(const struct request *request, uint8_t data[PMA_DATA_BYTES]);

/* Takes the outcome of a request, and frees the request. */
void collector_outcome(struct collector *collector, struct request *request,
		       const struct outcome *outcome);

#endif
