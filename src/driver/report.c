/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports writes and reads to the engine, and records what they mean for their lanes. */
#include "driver/driver_state.h"

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

static void tap_sent(const struct driver *driver, struct engine_write_id id)
{
	struct engine_write write = engine_write_of(driver->engine, id);

	driver->tap->seen(driver->tap->context, write.lane, true, write.umad, write.bytes,
			  driver->filled_at);
}

void report_write(struct driver *driver, unsigned int lane, struct engine_write_id id, int result,
		  uint64_t now)
{
	if (can_mean_removal(result) && is_lane_gone(&driver->lane[lane])) {
		loss_of_lane(driver, lane);
		result = -ENODEV;
	}
	if (__builtin_expect(driver->tap != NULL, 0) && result >= 0)
		tap_sent(driver, id);
	engine_write_done(driver->engine, id, result < 0 ? result : 0, now);
}

void report_mad(struct driver *driver, unsigned int lane, uint16_t number, int bytes, uint64_t now)
{
	struct madring_mad *mad = buffers_take(driver, number);

	if (is_beginning_of_long(madring_mad_umad(mad), bytes)) {
		long_found(driver, lane, madring_mad_umad(mad)->length);
		driver_give(driver, mad);
		return;
	}
	clear_rest(mad, (size_t)bytes, BUFFER_BYTES);
	driver->arrived++;
	tap_received(driver, lane, mad, (size_t)bytes, now);
	if (!engine_keeps(engine_receive(driver->engine, lane, madring_mad_umad(mad), (size_t)bytes,
					 now)))
		driver_give(driver, mad);
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
