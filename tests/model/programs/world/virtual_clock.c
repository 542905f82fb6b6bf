/* SPDX-License-Identifier: BSD-2-Clause */
#include "virtual_clock.h"

#include <time.h>

/* The real-time clock at VIRTUAL_START: 1 January 2026. */
#define EPOCH 1767225600

static uint64_t now = VIRTUAL_START;

/* A function that looks at the world at times. */
static struct {
	uint64_t period, next;
	void (*look)(void *user);
	void *user;
} watch = { .next = UINT64_MAX };

void virtual_reset(void)
{
	now = VIRTUAL_START;
	watch.next = UINT64_MAX;
}

void virtual_watch(uint64_t period, void (*look)(void *user), void *user)
{
	watch.period = period;
	watch.next = VIRTUAL_START + period;
	watch.look = look;
	watch.user = user;
}

uint64_t virtual_now(void)
{
	return now;
}

void virtual_advance(uint64_t to)
{
	while (watch.next <= to) {
		if (watch.next > now)
			now = watch.next;
		watch.next += watch.period;
		watch.look(watch.user);
	}
	if (to > now)
		now = to;
}

/* The linker puts this in place of clock_gettime(2). */
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	time->tv_sec = (time_t)(now / 1000000000u);
	time->tv_nsec = (long)(now % 1000000000u);
	if (clock == CLOCK_REALTIME)
		time->tv_sec += EPOCH - (time_t)(VIRTUAL_START / 1000000000u);
	return 0;
}
