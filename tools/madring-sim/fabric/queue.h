/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event queue: events in the order of their times, and of their pushes when the times are
 * equal. Pushes in order of time go to a list; only the others pay for a heap. The events are
 * the caller's, each within what it is about.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct fabric;

struct event {
	struct event *next;
	uint64_t time, sequence;
	void (*fire)(struct fabric *fabric, struct event *event);
};

struct queue {
	struct event *first, *last; /* the list */
	struct event **heap;
	size_t heap_count, heap_room;
	uint64_t sequence;
};

void queue_open(struct queue *queue);

/* What is still in it is nobody's business any more. */
void queue_close(struct queue *queue);

/* 0 or -ENOMEM; then the event is still the caller's. */
int queue_push(struct queue *queue, struct event *event, uint64_t time);

/* The next event; NULL: none. */
const struct event *queue_peek(const struct queue *queue);
struct event *queue_pop(struct queue *queue);

#endif
