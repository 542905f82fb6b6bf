/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes the driver without io_uring, and its lanes. */
#include "driver/plain/plain.h"

#include "base/debug.h"

_Static_assert(sizeof(struct driver) % _Alignof(struct plain) == 0,
	       "the plain driver's state may follow the driver in memory");

static int plain_open(struct driver *driver)
{
	driver->plain = (struct plain *)(driver + 1);
	driver->plain->epoll_fd = -1;
	driver->plain->timer_fd = -1;
	driver->has_strategy = true;
	if (debug_is(DEBUG_EVENTS))
		debug_say("received by read(2)");
	return 0;
}

static bool plain_is_pending(const struct driver *driver)
{
	(void)driver;
	return false;
}

static int plain_try(struct driver *driver)
{
	return driver_error(driver);
}

static void plain_give_up(struct driver *driver)
{
	driver->plain->waiting_count = 0;
	driver->plain->unheard = 0;
}

static int plain_lane_open(struct driver *driver, unsigned int lane)
{
	driver->plain->lane[lane] = (struct plain_lane){ 0 };
	driver->plain->unheard &= ~(UINT64_C(1) << lane);
	/* Until the next step, the fd for a foreign event loop does not have the lane. */
	if (driver->loop_fd >= 0)
		ready_signal(driver);
	return 0;
}

static void plain_lane_close(struct driver *driver, unsigned int lane)
{
	loop_forget(driver, lane);
	if (!driver_error(driver))
		write_cancel(driver);
}

static void plain_lane_lost(struct driver *driver, unsigned int lane)
{
	loop_forget(driver, lane);
	driver->plain->has_room = true;
}

const struct driver_operations plain_operations = {
	.state_bytes = sizeof(struct plain),
	.open = plain_open,
	.close = loop_close,
	.is_pending = plain_is_pending,
	.try = plain_try,
	.give_up = plain_give_up,
	.lane_open = plain_lane_open,
	.lane_close = plain_lane_close,
	.lane_lost = plain_lane_lost,
	.turn = plain_turn,
	.settle = write_postpone,
	.collect = plain_collect,
	.fd = plain_fd,
	.ready_clear = plain_ready_clear,
	.arm = plain_arm,
};
