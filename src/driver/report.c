/* SPDX-License-Identifier: BSD-2-Clause */
/* Records what failed writes and reads mean for their lanes, and shows writes to the tap. */
#include "driver/report.h"

#include "device/device.h"

/*
 * Tells whether a file whose device was removed may fail with this error. The error has other
 * causes, too: a write by an agent that is not registered fails with EIO.
 */
static bool can_mean_removal(int result)
{
	switch (-result) {
	case EIO:
	case EPIPE:
	case ENODEV:
	case ENXIO:
	case ENOTCONN:
	case ECONNRESET:
	case EBADF:
		return true;
	default:
		return false;
	}
}

static bool is_lane_gone(const struct lane_file *file)
{
	return file->lost || device_is_gone(file->fd);
}

void report_to_tap(const struct driver *driver, struct engine_write_id id)
{
	struct engine_write write = engine_write_of(driver->engine, id);

	driver->tap->seen(driver->tap->context, write.lane, true, write.umad, write.bytes,
			  driver->filled_at);
}

int report_failed_write(struct driver *driver, unsigned int lane, int result)
{
	if (!can_mean_removal(result) || !is_lane_gone(&driver->lane[lane]))
		return result;
	loss_of_lane(driver, lane);
	return -ENODEV;
}

void report_failed_read(struct driver *driver, unsigned int lane, int result, uint32_t bytes)
{
	switch (-result) {
	case ECANCELED:
	case EAGAIN:
	case EINTR:
	case ENOBUFS:
		return;
	case ENOSPC:
		long_found(driver, lane, bytes);
		return;
	case EINVAL:
		/* The file refuses the read, or its next MAD is longer than the buffer. */
		driver->lane[lane].refused = true;
		if (driver->has_strategy)
			long_found(driver, lane, 0);
		return;
	case EOPNOTSUPP:
	case EBADFD:
		driver->lane[lane].refused = true;
		if (!driver->has_strategy)
			return;
	}
	loss_or_rest(driver, lane);
}
