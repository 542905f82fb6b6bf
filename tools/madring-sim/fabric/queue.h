/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event queue: packets in the order of the time they come out, and of their pushes when
 * the times are equal. Pushes in order of time, which is what a fabric without delays makes,
 * go to a list; only the others pay for a heap.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "fabric.h"

struct event {
	struct event *next;
	uint64_t time, sequence;
	int endpoint;
	struct fabric_packet packet;
};

struct queue {
	struct event *first, *last; /* the list */
	struct event **heap;
	size_t heap_count, heap_room;
	struct event *free;
	struct event_chunk *chunks;
	uint64_t sequence;
};

void queue_open(struct queue *queue);
void queue_close(struct queue *queue);

/* An event to fill in; NULL: no memory. */
struct event *queue_take(struct queue *queue);

/* Gives back one that was not pushed, or was popped. */
void queue_give(struct queue *queue, struct event *event);

/* 0 or -ENOMEM; then the event is still the caller's. */
int queue_push(struct queue *queue, struct event *event, uint64_t time);

/* The next event; NULL: none. */
const struct event *queue_peek(const struct queue *queue);
struct event *queue_pop(struct queue *queue);

#endif
