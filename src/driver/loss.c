/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a lane: its device is gone, or it is closed. */
#include "driver/state.h"

#include "debugging/debug.h"

void loss_cancel(struct driver *driver, unsigned int lane)
{
	struct io_uring_sqe *sqe = enter_sqe(driver);

	io_uring_prep_cancel_fd(sqe, driver->lane[lane].fd, IORING_ASYNC_CANCEL_ALL);
	enter_tag(driver, sqe, REQUEST_CANCEL, lane, 0);
}

void loss_of_lane(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];

	if (file->lost)
		return;
	file->lost = true;
	engine_lane_lost(driver->engine, lane);
	if (file->closing)
		return;
	loss_cancel(driver, lane);
	if (debug_is(DEBUG_EVENTS))
		debug_say("lane %u: its device is gone", lane);
}
