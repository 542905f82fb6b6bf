/* SPDX-License-Identifier: BSD-2-Clause */
/* One turn: one entry into the kernel submits what is prepared and collects what has completed. */
#include "driver/uring/uring.h"

#include <limits.h>

/*
 * With BATCH_IN_FLIGHT requests in flight a turn waits for a BATCH_PART-th of them rather than
 * for one, because entering the kernel costs more than a MAD. It waits at most BATCH_NS for them,
 * so that a few slow replies do not delay the others.
 */
#define BATCH_IN_FLIGHT 128u
#define BATCH_PART	4u
#define BATCH_NS	100000u
/* Waiting for more completions than there are posted reads would be in vain. */
#define BATCH_POSTED 16u

/*
 * Completions are reported in batches. The callbacks of each batch, and the writes that these ask
 * for, come before the next batch. So a transaction's memory is used while it is in the caches,
 * and the nodes get new requests meanwhile.
 */
#define BATCH_LEAST 8u
#define BATCH_MOST  512u

/*
 * Prepares the engine's writes while the queue has room. Long MADs are written at once. Returns
 * how many it has prepared.
 */
static unsigned int fill_writes(struct driver *driver)
{
	uint64_t now = driver_clock();
	struct engine_write write;
	unsigned int count = 0;

	driver->filled_at = now;
	driver->uring->long_writes = 0;
	driver->final_writes = 0;
	while (enter_has_room(driver) && engine_next_write(driver->engine, now, &write)) {
		struct io_uring_sqe *sqe;

		if (write.bytes > BUFFER_BYTES) {
			long_write(driver, &write, now);
			driver->uring->long_writes++;
			continue;
		}
		sqe = enter_sqe(driver);
		io_uring_prep_write(sqe, driver->lane[write.lane].fd, write.umad,
				    (unsigned int)write.bytes, 0);
		enter_tag(driver, sqe,
			  write.id.kind == ENGINE_WRITE_WHOLE ? REQUEST_WRITE : REQUEST_SEGMENT,
			  write.lane, write.id.number);
		driver->final_writes += write.no_reply;
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

	if (driver->uring->wake_posted)
		return;
	sqe = enter_sqe(driver);
	io_uring_prep_read(sqe, driver->wake_fd, &driver->uring->wake_count,
			   sizeof(driver->uring->wake_count), 0);
	io_uring_sqe_set_data64(sqe, request_tag(REQUEST_WAKE, 0, 0));
	driver->uring->pending++;
	driver->uring->wake_posted = true;
}

unsigned int turn_fill(struct driver *driver)
{
	unsigned int writes;

	fill_aborts(driver);
	fill_wake(driver);
	writes = fill_writes(driver);
	if (driver->multishot)
		provide_buffers(driver);
	lanes_fill(driver);
	return writes;
}

/* Returns the size of a batch. Posted reads need no limit, because they bring few completions. */
static unsigned int batch_limit(const struct driver *driver, uint32_t in_flight)
{
	uint32_t part = in_flight / BATCH_PART;

	if (!driver->multishot)
		return UINT_MAX;
	if (part < BATCH_LEAST)
		return BATCH_LEAST;
	return part < BATCH_MOST ? part : BATCH_MOST;
}

void uring_collect(struct driver *driver)
{
	complete_all(driver);
}

/* Submits the engine's writes, and nothing else. */
static void flush_writes(struct driver *driver)
{
	fill_writes(driver);
	enter_kernel(driver, 0, 0);
}

int uring_turn(struct driver *driver, uint64_t until)
{
	unsigned int writes, written, count;
	uint64_t wait_ns, arrived;
	uint32_t in_flight;
	int error;

	writes = turn_fill(driver);
	written = driver->uring->long_writes;
	in_flight = engine_in_flight(driver->engine);
	wait_ns = wait_limit(driver, until);
	arrived = driver->arrived;
	/* A write without a reply ends its transaction: there is nothing more to wait for. */
	count = driver->final_writes ? 0 : 1;
	if (count && in_flight >= BATCH_IN_FLIGHT && !driver->uring->quiet && wait_ns) {
		count = in_flight / BATCH_PART;
		if (!driver->multishot && count > BATCH_POSTED)
			count = BATCH_POSTED;
		if (wait_ns > BATCH_NS)
			wait_ns = BATCH_NS;
	}
	/* Writes complete at once, so they are added to the completions to wait for. */
	error = wait_for(driver, writes, writes + count, wait_ns);
	complete_some(driver, batch_limit(driver, in_flight));
	wait_end(driver);
	/*
	 * Timers fire only after all completions were reported: a reply that arrived while this
	 * thread was not scheduled is still in time.
	 */
	if (!driver->uncollected)
		engine_advance(driver->engine, driver->uring->peeked_at);
	/* The other end of a message may wait for a segment, and there may be no next turn. */
	if (engine_wants_segment(driver->engine))
		flush_writes(driver);
	if (driver->arrived != arrived)
		driver->uring->quiet = false;
	else if (wait_ns)
		driver->uring->quiet = true;
	return error < 0 ? error : (int)(writes + written);
}
