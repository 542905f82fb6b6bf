/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "fabric/queue.h"

#define FIRST_ROOM 128

struct timer {
	struct event event;
	struct timer *next, **link; /* of those that are pending, to free */
	void (*fire)(struct fabric *fabric, void *user);
	void *user;
};

void queue_open(struct queue *queue)
{
	*queue = (struct queue){ 0 };
}

void queue_close(struct queue *queue)
{
	struct timer *timer;

	while ((timer = queue->timers)) {
		queue->timers = timer->next;
		free(timer);
	}
	free(queue->heap);
	*queue = (struct queue){ 0 };
}

static bool before(const struct event *a, const struct event *b)
{
	return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

static int push_heap(struct queue *queue, struct event *event)
{
	size_t i, parent;

	if (queue->heap_count == queue->heap_room) {
		size_t room = queue->heap_room ? queue->heap_room * 2 : FIRST_ROOM;
		struct event **heap = reallocarray(queue->heap, room, sizeof(struct event *));

		if (!heap)
			return -ENOMEM;
		queue->heap = heap;
		queue->heap_room = room;
	}
	for (i = queue->heap_count++; i; i = parent) {
		parent = (i - 1) / 2;
		if (before(queue->heap[parent], event))
			break;
		queue->heap[i] = queue->heap[parent];
	}
	queue->heap[i] = event;
	return 0;
}

static struct event *pop_heap(struct queue *queue)
{
	struct event *top = queue->heap[0];
	struct event *moved = queue->heap[--queue->heap_count];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < queue->heap_count) {
		if (child + 1 < queue->heap_count &&
		    before(queue->heap[child + 1], queue->heap[child]))
			child++;
		if (before(moved, queue->heap[child]))
			break;
		queue->heap[i] = queue->heap[child];
		i = child;
	}
	queue->heap[i] = moved;
	return top;
}

static struct event *pop_list(struct queue *queue)
{
	struct event *event = queue->first;

	queue->first = event->next;
	if (!queue->first)
		queue->last = NULL;
	return event;
}

int queue_push(struct queue *queue, struct event *event, uint64_t time)
{
	event->time = time;
	event->sequence = queue->sequence++;
	if (queue->last && time < queue->last->time)
		return push_heap(queue, event);
	event->next = NULL;
	if (queue->last)
		queue->last->next = event;
	else
		queue->first = event;
	queue->last = event;
	return 0;
}

static bool heap_is_next(const struct queue *queue)
{
	if (!queue->heap_count)
		return false;
	return !queue->first || before(queue->heap[0], queue->first);
}

const struct event *queue_peek(const struct queue *queue)
{
	return heap_is_next(queue) ? queue->heap[0] : queue->first;
}

struct event *queue_pop(struct queue *queue)
{
	if (heap_is_next(queue))
		return pop_heap(queue);
	return queue->first ? pop_list(queue) : NULL;
}

static void remove_timer(struct timer *timer)
{
	*timer->link = timer->next;
	if (timer->next)
		timer->next->link = timer->link;
	free(timer);
}

static void fire_timer(struct fabric *fabric, struct event *event)
{
	struct timer *timer = (struct timer *)event;
	void (*fire)(struct fabric *fabric, void *user) = timer->fire;
	void *user = timer->user;

	remove_timer(timer);
	fire(fabric, user);
}

int queue_call(struct queue *queue, uint64_t time, void (*fire)(struct fabric *fabric, void *user),
	       void *user)
{
	struct timer *timer = malloc(sizeof(*timer));

	if (!timer)
		return -ENOMEM;
	timer->event.fire = fire_timer;
	timer->fire = fire;
	timer->user = user;
	if (queue_push(queue, &timer->event, time)) {
		free(timer);
		return -ENOMEM;
	}
	timer->next = queue->timers;
	if (timer->next)
		timer->next->link = &timer->next;
	timer->link = &queue->timers;
	queue->timers = timer;
	return 0;
}
