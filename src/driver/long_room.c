/* SPDX-License-Identifier: BSD-2-Clause */
/* The lanes that have a long message to read, and whether there is room for it. */
#include "driver/driver_state.h"

/*
 * The first room for a message of unknown length. A read tells the length only if it has room for
 * the first segment, which may have 2 KiB.
 */
#define FIRST_GUESS ((uint32_t)(sizeof(struct ib_user_mad) + MADRING_LARGE_MAD_BYTES))

void long_found(struct driver *driver, unsigned int lane, uint32_t bytes)
{
	driver->lane[lane].long_bytes = bytes > BUFFER_BYTES ? bytes : FIRST_GUESS;
	driver->unread = true;
}

void long_starve(struct driver *driver, unsigned int lane, bool starved)
{
	driver->lane[lane].starved = starved;
	engine_lane_starved(driver->engine, lane, starved);
}

void long_room(struct driver *driver)
{
	bool some = false;

	for (unsigned int lane = 0; lane < driver->lanes; lane++) {
		some |= driver->lane[lane].starved;
		long_starve(driver, lane, false);
	}
	if (some)
		ready_signal(driver);
}
