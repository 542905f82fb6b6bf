/* SPDX-License-Identifier: BSD-2-Clause */
/* The queues of transactions, and the turns of flows and agents. */
#ifndef MADRING_ENGINE_QUEUE_H
#define MADRING_ENGINE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct agent;

/* Puts a transaction at the end of its flow's queue. */
void queue_append(struct engine *engine, uint32_t slot);
/* Puts a transaction at the head of its flow's queue. */
void queue_prepend(struct engine *engine, uint32_t slot);
/*
 * Puts a transaction that has lost an attempt into its flow's queue: at the head for its first
 * retry, and then at the end, because a request that is never answered must not delay others.
 */
void queue_retry(struct engine *engine, uint32_t slot);
/* Takes a transaction out of its flow's queue. */
void queue_remove(struct engine *engine, uint32_t slot);
/*
 * Puts a flow and its agent on the lists where they belong. Call it when the flow's queue, its
 * window, its agent's window or its attempts in flight have changed.
 */
void queue_update(struct engine *engine, uint32_t flow);
/* Puts an agent for which the kernel has room again on the list where it belongs. */
void queue_update_agent(struct engine *engine, struct agent *agent);
/* Takes out the next transaction that both windows and the kernel admit, or returns SLOT_NONE. */
uint32_t queue_next(struct engine *engine);

#endif
