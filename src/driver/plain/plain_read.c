/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads: one read(2) for each MAD, until a lane has no more, or its share of the turn is used up.
 */
#include "driver/plain/plain.h"

#include <unistd.h>

short read_events(const struct driver *driver, unsigned int lane)
{
	const struct lane_file *file = &driver->lane[lane];
	short events = 0;

	if (!file->resting && !file->starved && driver->buffers.at_hand_count &&
	    !engine_lane_is_full(driver->engine, lane))
		events |= POLLIN;
	if (driver->plain->lane[lane].is_full && driver->plain->waiting_count)
		events |= POLLOUT;
	return events;
}

/* Reads one MAD. Returns whether the lane may have another one. */
static bool read_mad(struct driver *driver, unsigned int lane)
{
	struct buffers *buffers = &driver->buffers;
	uint16_t number = buffers->at_hand[--buffers->at_hand_count];
	struct madring_mad *mad = buffers->mad[number];
	ssize_t result = read(driver->lane[lane].fd, mad, BUFFER_BYTES);
	int error = result < 0 ? errno : 0;

	driver->entries++;
	if (result > 0) {
		report_mad(driver, lane, number, (int)result, driver->plain->read_at);
		return true;
	}
	buffers->at_hand[buffers->at_hand_count++] = number;
	if (error == EINTR)
		return true;
	report_failed_read(driver, lane, -error, madring_mad_umad(mad)->length);
	return driver->lane[lane].long_bytes;
}

bool has_found_message(const struct driver *driver, unsigned int lane)
{
	return driver->lane[lane].long_bytes && read_events(driver, lane) & POLLIN;
}

bool read_lane(struct driver *driver, unsigned int lane, unsigned int limit)
{
	const struct lane_file *file = &driver->lane[lane];
	bool may_have_more = true;

	while (limit-- && may_have_more) {
		if (!is_readable(file) || !(read_events(driver, lane) & POLLIN))
			return false;
		if (file->long_bytes) {
			long_read(driver, lane);
			driver->plain->read_at = driver_clock();
		} else {
			may_have_more = read_mad(driver, lane);
		}
	}
	return may_have_more;
}
