/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An fd for a foreign event loop: an epoll(7) descriptor of the lanes, the wake-up, the timer, and
 * an eventfd for what no descriptor shows. All are level-triggered: what a step leaves keeps the fd
 * readable.
 */
#include "driver/plain/plain.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* The most often that a step looks for more to do. If there is some, the fd stays readable. */
#define MOST_ROUNDS 4

_Static_assert(POLLIN == EPOLLIN && POLLOUT == EPOLLOUT, "poll's events are epoll's, too");

static int change_loop(struct driver *driver, int operation, int fd, short events)
{
	struct epoll_event event = { .events = (uint32_t)events };

	return epoll_ctl(driver->plain->epoll_fd, operation, fd, &event) < 0 ? -errno : 0;
}

void loop_forget(struct driver *driver, unsigned int lane)
{
	struct plain_lane *in_loop = &driver->plain->lane[lane];

	/* A child of fork(2) shares the epoll descriptor with its parent. */
	if (in_loop->is_in_loop && !driver_is_inherited(driver))
		change_loop(driver, EPOLL_CTL_DEL, driver->lane[lane].fd, 0);
	in_loop->is_in_loop = false;
}

void loop_close(struct driver *driver)
{
	if (driver->plain->timer_fd >= 0)
		close(driver->plain->timer_fd);
	if (driver->plain->epoll_fd >= 0)
		close(driver->plain->epoll_fd);
	driver->plain->timer_fd = -1;
	driver->plain->epoll_fd = -1;
	driver->loop_fd = -1;
}

static int update_lane(struct driver *driver, unsigned int lane)
{
	struct plain_lane *in_loop = &driver->plain->lane[lane];
	short events = read_events(driver, lane);
	int error;

	if (in_loop->is_in_loop && in_loop->loop_events == events)
		return 0;
	error = change_loop(driver, in_loop->is_in_loop ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
			    driver->lane[lane].fd, events);
	if (error)
		return error;
	in_loop->is_in_loop = true;
	in_loop->loop_events = events;
	return 0;
}

/* Sets the timer to the next deadline, unless it goes off earlier. */
static int update_timer(struct driver *driver)
{
	uint64_t at = next_step(driver);
	bool has_gone_off = driver->timer_at <= driver_clock();
	struct itimerspec when = { 0 };

	if (at >= driver->timer_at && !has_gone_off)
		return 0;
	if (at != ENGINE_NEVER) {
		/* A time of 0 would disarm the timer. */
		when.it_value.tv_sec = (time_t)(at / 1000000000u);
		when.it_value.tv_nsec = (long)(at % 1000000000u) + !at;
	}
	if (timerfd_settime(driver->plain->timer_fd, TFD_TIMER_ABSTIME, &when, NULL) < 0)
		return -errno;
	driver->timer_at = at;
	return 0;
}

/* Has the fd tell of all that is left. Returns 0 or a negative errno. */
static int update_loop(struct driver *driver)
{
	const struct engine *engine = driver->engine;
	bool has_work = driver->uncollected || driver->plain->has_room ||
			engine_wants_write(engine) || engine_completed(engine) ||
			engine_requests(engine);
	int error = update_timer(driver);

	driver->ready_waits = true;
	for (unsigned int lane = 0; lane < driver->lanes && !error; lane++) {
		if (!is_readable(&driver->lane[lane]))
			continue;
		error = update_lane(driver, lane);
		has_work |= has_found_message(driver, lane);
	}
	if (has_work)
		ready_signal(driver);
	return error;
}

static int open_loop(struct driver *driver)
{
	struct plain *plain = driver->plain;
	int error;

	plain->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (plain->epoll_fd < 0)
		return -errno;
	plain->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (plain->timer_fd < 0)
		return -errno;
	driver->ready_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (driver->ready_fd < 0)
		return -errno;
	error = change_loop(driver, EPOLL_CTL_ADD, plain->timer_fd, EPOLLIN);
	if (!error)
		error = change_loop(driver, EPOLL_CTL_ADD, driver->ready_fd, EPOLLIN);
	if (!error)
		error = change_loop(driver, EPOLL_CTL_ADD, driver->wake_fd, EPOLLIN);
	return error ? error : update_loop(driver);
}

int plain_fd(struct driver *driver)
{
	int error = open_loop(driver);

	if (!error) {
		driver->loop_fd = driver->plain->epoll_fd;
		return driver->loop_fd;
	}
	loop_close(driver);
	if (driver->ready_fd >= 0)
		close(driver->ready_fd);
	driver->ready_fd = -1;
	driver->timer_at = ENGINE_NEVER;
	for (unsigned int lane = 0; lane < driver->lanes; lane++)
		driver->plain->lane[lane].is_in_loop = false;
	return error;
}

void plain_ready_clear(struct driver *driver)
{
	uint64_t count;

	/* If there is nothing to read, the eventfd is clear already. */
	if (read(driver->ready_fd, &count, sizeof(count)) < 0)
		return;
}

int plain_arm(struct driver *driver)
{
	unsigned int rounds = 0;
	uint64_t arrived;
	int error;

	do {
		arrived = driver->arrived;
		fill_turn(driver);
		/* A wake-up is the next step's, so that the fd shows it. */
		error = turn_look(driver, 0, driver->filled_at, false);
	} while (!error && driver->arrived != arrived && ++rounds < MOST_ROUNDS);
	if (error || driver->loop_fd < 0)
		return error;
	return update_loop(driver);
}
