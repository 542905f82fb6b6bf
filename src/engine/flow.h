/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The flows: what is known of each destination, found by agent and key in O(1). A flow with
 * nothing waiting and nothing in flight is idle: it keeps its round trip and its window until
 * the table needs the room, the longest idle first.
 */
#ifndef MADRING_ENGINE_FLOW_H
#define MADRING_ENGINE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "engine/pace.h"

#define FLOW_NONE LIST_NONE

struct flow {
	uint64_t key;
	uint32_t bucket_next;  /* in its bucket; FLOW_NONE: the last */
	struct list_link link; /* among its agent's ready flows, or among the idle */
	struct list waiting;   /* transactions */
	uint16_t agent;
	bool ready;    /* stands in its agent's ready list */
	bool idle : 1; /* stands among the idle */
	struct pace_flow pace;
};

struct flow_table {
	struct flow *flow;
	uint32_t *bucket;
	uint32_t bucket_bits;
	uint64_t multiplier;  /* of a key, odd */
	uint32_t count, used; /* flows; those that ever had a key, which are the first */
	struct list idle;     /* the longest idle first */
};

/* @seed decides which keys share a bucket. 0 or -ENOMEM. */
int flow_table_open(struct flow_table *table, uint32_t flows, uint64_t seed);
void flow_table_close(struct flow_table *table);

/*
 * `flow_table_take` returns the flow of @agent and @key, taken from among the idle. One that is new
 * begins as @pace has it. FLOW_NONE cannot happen while there are as many flows as transactions.
 */
uint32_t flow_table_take(struct flow_table *table, uint16_t agent, uint64_t key,
			 const struct pace_agent *pace);

/* Puts a flow that has nothing waiting and nothing in flight among the idle. */
void flow_table_idle(struct flow_table *table, uint32_t index);

#endif
