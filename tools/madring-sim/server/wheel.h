/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timing wheel of 1 ms ticks. Arming and disarming are O(1); a timer further away than one
 * turn is passed over once a turn.
 */
#ifndef SIM_WHEEL_H
#define SIM_WHEEL_H

#include <stddef.h>
#include <stdint.h>

#define WHEEL_SLOTS 16384
#define WHEEL_NEVER UINT64_MAX

struct server;

struct wheel_timer {
	void (*fire)(struct server *server, struct wheel_timer *timer); /* for its owner to call */
	struct wheel_timer *next;
	struct wheel_timer **link; /* NULL: not armed */
	uint64_t tick;
};

struct wheel {
	uint64_t tick; /* all ticks up to this one have been looked at */
	size_t armed;
	struct wheel_timer *slot[WHEEL_SLOTS];
	uint64_t occupied[WHEEL_SLOTS / 64];
};

void wheel_init(struct wheel *wheel, uint64_t tick);

/* wheel_arm arms a timer. A tick that has passed means the next one. */
void wheel_arm(struct wheel *wheel, struct wheel_timer *timer, uint64_t tick);

/* wheel_disarm does nothing to a timer that is not armed. */
void wheel_disarm(struct wheel *wheel, struct wheel_timer *timer);

/* wheel_take_expired disarms all timers due by @tick and returns them as a list. */
struct wheel_timer *wheel_take_expired(struct wheel *wheel, uint64_t tick);

/* wheel_next returns a tick before which no timer expires. It may be one on which none does. */
uint64_t wheel_next(const struct wheel *wheel);

#endif
