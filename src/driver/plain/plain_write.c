/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes. A umad file takes every write at once. A socket that stands in for one may be full. Then
 * the write waits here, as io_uring would have it wait, until poll(2) says that the lane takes
 * more.
 */
#include "driver/plain/plain.h"
#include "driver/report.h"

#include "device/device.h"

/* The most writes of a turn. Replies are read between turns, before the lanes' queues get long. */
#define MOST_WRITES 1024u

/* Writes a MAD and reports it. Returns false if its lane takes none now. */
static bool make_write(struct driver *driver, const struct engine_write *write, uint64_t now)
{
	ssize_t result;

	if (driver->plain->lane[write->lane].is_full)
		return false;
	do {
		result = device_write(driver->lane[write->lane].fd, write->umad, write->bytes);
		driver->entries++;
	} while (result == -EINTR);
	if (result == -EAGAIN) {
		driver->plain->lane[write->lane].is_full = true;
		return false;
	}
	report_write(driver, write->lane, write->id, result < 0 ? (int)result : 0, now);
	return true;
}

/*
 * Makes the waiting writes whose lanes take them, and cancels those whose lanes are lost. Returns
 * how many were taken.
 */
static unsigned int make_waiting(struct driver *driver, uint64_t now)
{
	struct plain *plain = driver->plain;
	uint32_t count = plain->waiting_count;
	unsigned int taken = 0;

	plain->waiting_count = 0;
	plain->has_room = false;
	for (uint32_t i = 0; i < count; i++) {
		const struct plain_write waiting = plain->waiting[i];
		struct engine_write write = engine_write_of(driver->engine, waiting.id);

		if (driver->lane[waiting.lane].lost)
			report_write(driver, waiting.lane, waiting.id, -ECANCELED, now);
		else if (make_write(driver, &write, now))
			taken++;
		else
			plain->waiting[plain->waiting_count++] = waiting;
	}
	return taken;
}

void write_cancel(struct driver *driver)
{
	struct plain *plain = driver->plain;
	uint32_t count = plain->waiting_count;
	uint64_t now = driver_clock();

	plain->waiting_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct plain_write waiting = plain->waiting[i];

		if (driver->lane[waiting.lane].lost)
			report_write(driver, waiting.lane, waiting.id, -ECANCELED, now);
		else
			plain->waiting[plain->waiting_count++] = waiting;
	}
}

static void postpone_waiting(struct driver *driver, uint64_t now)
{
	struct plain *plain = driver->plain;

	while (plain->waiting_count) {
		const struct plain_write *last = &plain->waiting[--plain->waiting_count];

		report_write(driver, last->lane, last->id, -EAGAIN, now);
	}
}

void write_postpone(struct driver *driver)
{
	postpone_waiting(driver, driver_clock());
}

/* Takes a waiting write off the list. Returns false if it does not wait. */
static bool take_waiting(struct plain *plain, struct engine_write_id id)
{
	uint32_t i = 0;

	while (i < plain->waiting_count &&
	       (plain->waiting[i].id.kind != id.kind || plain->waiting[i].id.number != id.number))
		i++;
	if (i == plain->waiting_count)
		return false;
	plain->waiting_count--;
	memmove(&plain->waiting[i], &plain->waiting[i + 1],
		(plain->waiting_count - i) * sizeof(plain->waiting[0]));
	return true;
}

/* Cancels the waiting writes that the engine does not want any more. */
static void abort_writes(struct driver *driver, uint64_t now)
{
	struct engine_write_id id;
	unsigned int lane;

	while (engine_next_abort(driver->engine, &id, &lane))
		if (take_waiting(driver->plain, id))
			report_write(driver, lane, id, -ECANCELED, now);
}

unsigned int write_all(struct driver *driver)
{
	struct plain *plain = driver->plain;
	uint64_t now = driver_clock();
	struct engine_write write;
	unsigned int taken = 0;

	driver->filled_at = now;
	abort_writes(driver, now);
	if (plain->has_room)
		taken = make_waiting(driver, now);
	/* The engine may choose other lanes for them. */
	if (plain->waiting_count == MOST_WAITING)
		postpone_waiting(driver, now);
	while (taken < MOST_WRITES && plain->waiting_count < MOST_WAITING &&
	       engine_next_write(driver->engine, now, &write)) {
		if (make_write(driver, &write, now))
			taken++;
		else
			plain->waiting[plain->waiting_count++] =
				(struct plain_write){ .id = write.id, .lane = write.lane };
	}
	return taken;
}
