/* SPDX-License-Identifier: BSD-2-Clause */
/* Ends lanes that are closed or whose device was removed, and rests lanes after a failed read. */
#include "driver/driver_state.h"

#include "base/debug.h"
#include "device/device.h"

/* A lane is not read for this long after a failed read. */
#define REST_NS 10000000u

void loss_of_lane(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];

	if (file->lost)
		return;
	file->lost = true;
	engine_lane_lost(driver->engine, lane);
	if (file->closing)
		return;
	driver->operations->lane_lost(driver, lane);
	if (debug_is(DEBUG_EVENTS))
		debug_say("lane %u: its device is gone", lane);
}

void loss_or_rest(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];

	if (file->lost || device_is_gone(file->fd)) {
		loss_of_lane(driver, lane);
		return;
	}
	file->resting = true;
	driver->unread = true;
	if (driver->rest_ends == ENGINE_NEVER)
		driver->rest_ends = driver_clock() + REST_NS;
}

void loss_end_rest(struct driver *driver)
{
	driver->rest_ends = ENGINE_NEVER;
	driver->unread = true;
	for (unsigned int lane = 0; lane < driver->lanes; lane++)
		driver->lane[lane].resting = false;
}
