/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that are longer than a receive buffer: messages that the kernel's RMPP has joined, and
 * 2 KiB MADs. A read without room for the message at the head of the file's queue fails, and the
 * message stays there, before all others. So this file reads it into a buffer of its own by
 * read(2), which does not block. Until there is room for it, the lane reads nothing.
 *
 * Long messages are written by write(2), which copies them at once. A file that stands in for a
 * umad device sees long messages through these two calls only.
 */
#include "driver/report.h"

#include <sys/mman.h>

#include "base/debug.h"
#include "device/device.h"

void long_write(struct driver *driver, const struct engine_write *write, uint64_t now)
{
	ssize_t result = device_write(driver->lane[write->lane].fd, write->umad, write->bytes);

	driver->entries++;
	report_write(driver, write->lane, write->id, result < 0 ? (int)result : 0, now);
}

/*
 * Reads the message at the head. Returns what device_read() does. After -ENOSPC, .long_bytes is
 * the length in the message's header.
 */
static ssize_t read_first_message(struct driver *driver, unsigned int lane,
				  struct ib_user_mad *umad)
{
	struct lane_file *file = &driver->lane[lane];
	ssize_t result = device_read(file->fd, umad, file->long_bytes);

	driver->entries++;
	if (result == -ENOSPC && umad->length > file->long_bytes)
		file->long_bytes = umad->length;
	return result;
}

static ssize_t receive_message(struct driver *driver, unsigned int lane, struct madring_mad *mad)
{
	struct ib_user_mad *umad = madring_mad_umad(mad);
	ssize_t result = read_first_message(driver, lane, umad);
	uint64_t now = driver_clock();

	if (result > 0) {
		clear_rest(mad, (size_t)result, sizeof(*umad) + pool_room(driver->pool, mad));
		driver->arrived++;
		tap_received(driver, lane, mad, (size_t)result, now);
		if (engine_keeps(engine_receive(driver->engine, lane, umad, (size_t)result, now)))
			return result;
	}
	pool_give(driver->pool, mad);
	return result;
}

/*
 * Reads a message into memory of its own, and copies its beginning to @mad. Returns what
 * device_read() does, or -E2BIG when the process has no address space for the message.
 */
static ssize_t read_message_beginning(struct driver *driver, unsigned int lane,
				      struct madring_mad *mad)
{
	size_t room = driver->lane[lane].long_bytes;
	struct ib_user_mad *umad = mmap(NULL, room, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ssize_t result;

	if (umad == MAP_FAILED) {
		if (debug_is(DEBUG_EVENTS))
			debug_say("lane %u: no address space (ulimit -v) for a message of %zu "
				  "bytes, which no other message can pass",
				  lane, room);
		return -E2BIG;
	}
	result = read_first_message(driver, lane, umad);
	if (result > (ssize_t)BUFFER_BYTES)
		result = BUFFER_BYTES;
	if (result > 0)
		memcpy(mad, umad, (size_t)result);
	munmap(umad, room);
	return result;
}

/* Takes a message off the queue for which there will never be room, and ends its transaction. */
static ssize_t discard_message(struct driver *driver, unsigned int lane)
{
	struct madring_mad *mad = pool_take_plain(driver->pool);
	ssize_t result;

	if (!mad)
		return -ENOMEM;
	result = read_message_beginning(driver, lane, mad);
	if (result > 0) {
		driver->arrived++;
		tap_received(driver, lane, mad, (size_t)result, driver_clock());
		if (engine_keeps(engine_receive_cut(driver->engine, lane, madring_mad_umad(mad),
						    (size_t)result)))
			return result;
	}
	pool_give(driver->pool, mad);
	return result;
}

/* Tries once to read the message, with as much room as it is known to need. */
static ssize_t try_to_read_message(struct driver *driver, unsigned int lane)
{
	size_t length = driver->lane[lane].long_bytes - sizeof(struct ib_user_mad);
	struct madring_mad *mad = pool_take_long(driver->pool, length);

	if (mad)
		return receive_message(driver, lane, mad);
	if (!pool_may_have_room(driver->pool, length))
		return discard_message(driver, lane);
	long_starve(driver, lane, true);
	return -ENOMEM;
}

/*
 * Tells whether the message at the head can never be read: there is no address space for it, or
 * the file refuses even a read with the room that it asked for. Such a file is given up.
 */
static bool is_blocked(const struct lane_file *file, ssize_t result)
{
	return result == -E2BIG || result == -ENOSPC || result == -EINVAL ||
	       (result == -EAGAIN && file->refused);
}

void long_read(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];
	uint32_t tried;
	ssize_t result;

	if (file->starved)
		return;
	do {
		tried = file->long_bytes;
		result = try_to_read_message(driver, lane);
	} while (result == -ENOSPC && file->long_bytes > tried);
	if (file->starved)
		return;
	/* A message that could not be read is still there, with the same length. */
	if (result >= 0 || result == -EAGAIN)
		file->long_bytes = 0;
	if (result > 0)
		file->refused = false;
	else if (is_blocked(file, result))
		loss_of_lane(driver, lane);
	else if (result != -EAGAIN)
		loss_or_rest(driver, lane);
}
