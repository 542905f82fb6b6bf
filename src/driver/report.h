/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports writes and reads to the engine, and records what they mean for their lanes. Each MAD
 * passes through the functions in this header, so that they are inlined.
 */
#ifndef MADRING_DRIVER_REPORT_H
#define MADRING_DRIVER_REPORT_H

#include "driver/driver_state.h"

/*
 * report.c
 *
 * `report_failed_write` records what a failed write means for its lane. Returns the error with
 * which the write has ended: -ENODEV if the device is gone, or @result.
 * `report_failed_read` handles a read that brought nothing. A @result of 0 means the end of the
 * file. @bytes is the length of the message that the read had no room for; 0: not known.
 * `report_to_tap` shows a MAD that was sent to the tap.
 */
int report_failed_write(struct driver *driver, unsigned int lane, int result);
void report_failed_read(struct driver *driver, unsigned int lane, int result, uint32_t bytes);
void report_to_tap(const struct driver *driver, struct engine_write_id id);

/* Reports the end of a write; @result is 0 or more, or a negative errno. */
static inline void report_write(struct driver *driver, unsigned int lane, struct engine_write_id id,
				int result, uint64_t now)
{
	if (__builtin_expect(result < 0, 0))
		result = report_failed_write(driver, lane, result);
	else if (__builtin_expect(driver->tap != NULL, 0))
		report_to_tap(driver, id);
	engine_write_done(driver->engine, id, result < 0 ? result : 0, now);
}

/*
 * Tells whether a read brought the beginning of a message only. Some files cannot fail such a
 * read; they return the beginning and keep the message.
 */
static inline bool is_beginning_of_long(const struct ib_user_mad *umad, int bytes)
{
	return umad->length > BUFFER_BYTES && bytes == (int)BUFFER_BYTES && !umad->status;
}

/* Reports the MAD of @bytes bytes that was read into the buffer @number. */
static inline void report_mad(struct driver *driver, unsigned int lane, uint16_t number, int bytes,
			      uint64_t now)
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

#endif
