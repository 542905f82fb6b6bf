/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The event queue: events in the order of their times, and of their pushes when the times are
 * equal. Pushes in order of time go to a list; only the others pay for a heap. An event is part
 * of what it is about, and belongs to the caller.
 */
#ifndef SIM_QUEUE_H
#define SIM_QUEUE_H

#include <stddef.h>
#include <stdint.h>

struct fabric;
struct timer;

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
	struct timer *timers;
};

void queue_open(struct queue *queue);

/* queue_close frees the timers, and forgets all other events. */
void queue_close(struct queue *queue);

/* queue_push queues an event. Returns 0, or -ENOMEM: the event is not queued. */
int queue_push(struct queue *queue, struct event *event, uint64_t time);

/* queue_call has a function called at a time. Returns 0 or -ENOMEM. */
int queue_call(struct queue *queue, uint64_t time, void (*fire)(struct fabric *fabric, void *user),
	       void *user);

/* queue_peek and queue_pop return the next event, or NULL if there is none. */
const struct event *queue_peek(const struct queue *queue);
struct event *queue_pop(struct queue *queue);

#endif
