/* SPDX-License-Identifier: BSD-2-Clause */
/* What is to be called at a time. */
#include <errno.h>
#include <stdlib.h>

#include "fabric/inside.h"
#include "fabric/timer.h"

struct timer {
	struct event event;
	struct timer *next, **link; /* of those that are pending, to free */
	void (*fire)(struct fabric *fabric, void *user);
	void *user;
};

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
	void (*fire)(struct fabric * fabric, void *user) = timer->fire;
	void *user = timer->user;

	remove_timer(timer);
	fire(fabric, user);
}

int fabric_at(struct fabric *fabric, uint64_t time, void (*fire)(struct fabric *fabric, void *user),
	      void *user)
{
	struct timer *timer = malloc(sizeof(*timer));

	if (!timer)
		return -ENOMEM;
	timer->event.fire = fire_timer;
	timer->fire = fire;
	timer->user = user;
	if (queue_push(&fabric->queue, &timer->event, time)) {
		free(timer);
		return -ENOMEM;
	}
	timer->next = fabric->timers;
	if (timer->next)
		timer->next->link = &timer->next;
	timer->link = &fabric->timers;
	fabric->timers = timer;
	return 0;
}

void timers_free(struct fabric *fabric)
{
	struct timer *timer;

	while ((timer = fabric->timers)) {
		fabric->timers = timer->next;
		free(timer);
	}
}
