/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flows: what the engine knows of each destination, found by agent and key in O(1). A flow
 * with nothing queued and nothing in flight is idle. It keeps its round trip and its window until
 * the table needs the room; the longest idle flow goes first.
 */
#ifndef MADRING_ENGINE_FLOW_H
#define MADRING_ENGINE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "pace/pace.h"

#define FLOW_NONE LIST_NONE

struct flow {
	uint64_t key;
	uint32_t bucket_next;  /* the next flow in its bucket, or FLOW_NONE */
	struct list_link link; /* in its agent's .ready_flows or the table's .idle */
	struct list waiting;   /* its queue of transactions */
	uint32_t waiting_count;
	uint16_t agent;
	bool ready : 1; /* stands in its agent's .ready_flows */
	bool many : 1;	/* in the second of them */
	bool idle : 1;	/* stands in the table's .idle */
	struct pace_flow pace;
};

struct flow_table {
	struct flow *flow;
	uint32_t *bucket;
	uint32_t bucket_bits;
	uint64_t multiplier;  /* hashes the keys; odd */
	uint32_t count, used; /* flows; how many of them, from the first, ever had a key */
	struct list idle;     /* the longest idle first */
};

/* Opens a table of @flows flows. @seed decides which keys share a bucket. Returns 0 or -ENOMEM. */
int flow_table_open(struct flow_table *table, uint32_t flows, uint64_t seed);
void flow_table_close(struct flow_table *table);

/*
 * Returns the flow of @agent and @key, and takes it off the idle list. A new flow gets its window
 * from @pace. FLOW_NONE cannot occur if there are as many flows as transactions.
 */
uint32_t flow_table_take(struct flow_table *table, uint16_t agent, uint64_t key,
			 const struct pace_agent *pace);

/* Lists a flow that has nothing queued and nothing in flight as idle. */
void flow_table_idle(struct flow_table *table, uint32_t index);

#endif
