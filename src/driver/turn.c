/* SPDX-License-Identifier: BSD-2-Clause */
/* One turn: what is prepared goes to the kernel, what has happened comes back, in one entry. */
#include "driver/uring.h"

#include <limits.h>

/*
 * With this many in flight a turn waits for a part of them rather than for one, because an
 * entry into the kernel costs more than a MAD; but never longer than this, so that a few
 * slow ones hold up nothing.
 */
#define BATCH_IN_FLIGHT 128u
#define BATCH_PART	4u
#define BATCH_NS	100000u
/* Posted reads are used up one by one: waiting for more than there are would be in vain. */
#define BATCH_POSTED 16u

/*
 * Completions are reported a part at a time. The callbacks of each, and the writes that these ask
 * for, follow before the next one: what a transaction has in the caches is used while it is there,
 * and the far end has something to do meanwhile.
 */
#define PART_LEAST 8u
#define PART_MOST  512u

static unsigned int fill_writes(struct driver *driver)
{
	uint64_t now = driver_clock();
	struct engine_write write;
	unsigned int count = 0;

	driver->filled_at = now;
	driver->written = 0;
	driver->final = 0;
	while (enter_has_room(driver) && engine_next_write(driver->engine, now, &write)) {
		struct io_uring_sqe *sqe;

		if (write.bytes > BUFFER_BYTES) {
			long_write(driver, &write, now);
			driver->written++;
			continue;
		}
		sqe = enter_sqe(driver);
		io_uring_prep_write(sqe, driver->lane[write.lane].fd, write.umad,
				    (unsigned int)write.bytes, 0);
		enter_tag(driver, sqe,
			  write.id.kind == ENGINE_WRITE_WHOLE ? REQUEST_WRITE : REQUEST_SEGMENT,
			  write.lane, write.id.number);
		driver->final += write.no_reply;
		count++;
	}
	return count;
}

static void fill_aborts(struct driver *driver)
{
	struct engine_write_id id;
	unsigned int lane;

	while (engine_next_abort(driver->engine, &id, &lane)) {
		struct io_uring_sqe *sqe = enter_sqe(driver);

		io_uring_prep_cancel64(sqe, request_tag(REQUEST_WRITE, lane, id.number), 0);
		enter_tag(driver, sqe, REQUEST_CANCEL, lane, 0);
	}
}

static void fill_wake(struct driver *driver)
{
	struct io_uring_sqe *sqe;

	if (driver->wake_posted)
		return;
	sqe = enter_sqe(driver);
	io_uring_prep_read(sqe, driver->wake_fd, &driver->wake_count, sizeof(driver->wake_count),
			   0);
	io_uring_sqe_set_data64(sqe, request_tag(REQUEST_WAKE, 0, 0));
	driver->pending++;
	driver->wake_posted = true;
}

unsigned int turn_fill(struct driver *driver)
{
	unsigned int writes;

	fill_aborts(driver);
	fill_wake(driver);
	writes = fill_writes(driver);
	if (driver->multishot)
		buffers_provide(driver);
	lanes_fill(driver);
	return writes;
}

/* How long a turn may wait: until @until, or the next timer; not while more is to be written, or
   has ended, or is there to be collected. */
static uint64_t wait_for(const struct driver *driver, uint64_t until)
{
	uint64_t deadline = next_deadline(driver);

	if (driver->uncollected || engine_wants_write(driver->engine) ||
	    engine_completed(driver->engine) || engine_requests(driver->engine))
		return 0;
	if (deadline < until)
		until = deadline;
	if (until == ENGINE_NEVER)
		return until;
	return until > driver->filled_at ? until - driver->filled_at : 0;
}

/* Posted reads bring little at a time as it is. */
static unsigned int part_of(const struct driver *driver, uint32_t in_flight)
{
	uint32_t part = in_flight / BATCH_PART;

	if (!driver->multishot)
		return UINT_MAX;
	if (part < PART_LEAST)
		return PART_LEAST;
	return part < PART_MOST ? part : PART_MOST;
}

void driver_collect(struct driver *driver)
{
	if (!driver_state(driver))
		complete_all(driver);
}

bool driver_is_behind(const struct driver *driver)
{
	return driver->uncollected;
}

/* Hands the kernel what the engine wants written, and no more. */
static void flush_writes(struct driver *driver)
{
	fill_writes(driver);
	enter_kernel(driver, 0, 0);
}

static int turn(struct driver *driver, uint64_t until)
{
	unsigned int writes = turn_fill(driver);
	unsigned int written = driver->written;
	uint32_t in_flight = engine_in_flight(driver->engine);
	uint64_t wait_ns = wait_for(driver, until);
	uint64_t arrived = driver->arrived;
	unsigned int count = driver->final ? 0 : 1;
	int error;

	if (count && in_flight >= BATCH_IN_FLIGHT && !driver->quiet && wait_ns) {
		count = in_flight / BATCH_PART;
		if (!driver->multishot && count > BATCH_POSTED)
			count = BATCH_POSTED;
		if (wait_ns > BATCH_NS)
			wait_ns = BATCH_NS;
	}
	/* Writes complete at once; what is waited for is beyond them, unless one ends with that. */
	error = enter_kernel(driver, writes + count, wait_ns);
	complete_some(driver, part_of(driver, in_flight));
	/* Timers follow once all that was there has been reported: a reply that came while this
	   thread was kept from running is still in time. */
	if (!driver->uncollected)
		engine_advance(driver->engine, driver->looked_at);
	/* The other end of a message may wait for a segment, and there need not be another turn. */
	if (engine_wants_segment(driver->engine))
		flush_writes(driver);
	if (driver->arrived != arrived)
		driver->quiet = false;
	else if (wait_ns)
		driver->quiet = true;
	return error < 0 ? error : (int)(writes + written);
}

int driver_turn(struct driver *driver, uint64_t until)
{
	int error = driver_state(driver);

	assert(driver->engine);
	return error ? error : turn(driver, until);
}
