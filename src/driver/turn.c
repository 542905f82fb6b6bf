/* SPDX-License-Identifier: BSD-2-Clause */
/* One turn: what is prepared goes to the kernel, what has happened comes back, in one entry. */
#include "driver/state.h"

#include <errno.h>
#include <time.h>

/* Entries of the submission queue that writes and posted reads leave free. */
#define RESERVED_ENTRIES 128u

/*
 * With this many in flight a turn waits for a part of them rather than for one, because an
 * entry into the kernel costs more than a MAD; but never longer than this, so that a few
 * slow ones hold up nothing.
 */
#define BATCH_IN_FLIGHT 16u
#define BATCH_PART	4u
#define BATCH_NS	100000u

uint64_t driver_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool turn_has_room(const struct driver *driver)
{
	return io_uring_sq_space_left(&driver->uring) > RESERVED_ENTRIES;
}

struct io_uring_sqe *turn_sqe(struct driver *driver)
{
	struct io_uring_sqe *sqe;

	while (!(sqe = io_uring_get_sqe(&driver->uring)))
		turn_enter(driver, 0, 0);
	return sqe;
}

void turn_sqe_tag(struct driver *driver, struct io_uring_sqe *sqe, enum request what,
		  unsigned int lane, uint32_t value)
{
	io_uring_sqe_set_data64(sqe, request_tag(what, lane, value));
	driver->lane[lane].pending++;
	driver->pending++;
}

/* Completions that wait in the kernel for this thread to enter it. */
static bool kernel_has_work(const struct driver *driver)
{
	return IO_URING_READ_ONCE(*driver->uring.sq.kflags) &
	       (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

static int enter_now(struct driver *driver)
{
	int error;

	if (!io_uring_sq_ready(&driver->uring) && !kernel_has_work(driver))
		return 0;
	driver->entries++;
	error = io_uring_submit_and_get_events(&driver->uring);
	return error < 0 ? error : 0;
}

static int enter_and_wait(struct driver *driver, unsigned int count, uint64_t wait_ns)
{
	struct __kernel_timespec limit = {
		.tv_sec = (long long)(wait_ns / 1000000000u),
		.tv_nsec = (long long)(wait_ns % 1000000000u),
	};
	struct io_uring_cqe *cqe;

	driver->entries++;
	return io_uring_submit_and_wait_timeout(&driver->uring, &cqe, count,
						wait_ns == ENGINE_NEVER ? NULL : &limit, NULL);
}

int turn_enter(struct driver *driver, unsigned int count, uint64_t wait_ns)
{
	int error = wait_ns ? enter_and_wait(driver, count, wait_ns) : enter_now(driver);

	/* The time was up, or completions have to be collected first. */
	if (error == -ETIME || error == -EBUSY || error == -EAGAIN)
		return 0;
	return error < 0 ? error : 0;
}

static void prefetch(const struct driver *driver, struct io_uring_cqe *const *cqe,
		     unsigned int count)
{
	const struct buffers *buffers = &driver->buffers;

	for (unsigned int i = 0; i < count; i++) {
		if (!(cqe[i]->flags & IORING_CQE_F_BUFFER))
			continue;
		__builtin_prefetch(
			madring_mad_data(buffers->mad[cqe[i]->flags >> IORING_CQE_BUFFER_SHIFT]));
	}
	for (unsigned int i = 0; i < count; i++) {
		if (!(cqe[i]->flags & IORING_CQE_F_BUFFER))
			continue;
		engine_prefetch(
			driver->config.engine,
			madring_mad_umad(buffers->mad[cqe[i]->flags >> IORING_CQE_BUFFER_SHIFT]));
	}
}

void turn_reap(struct driver *driver)
{
	struct io_uring_cqe *cqe[32];
	uint64_t now = driver_clock();
	unsigned int count;

	while ((count = io_uring_peek_batch_cqe(&driver->uring, cqe, 32)) > 0) {
		prefetch(driver, cqe, count);
		for (unsigned int i = 0; i < count; i++)
			complete_one(driver, cqe[i], now);
		io_uring_cq_advance(&driver->uring, count);
	}
}

static unsigned int fill_writes(struct driver *driver)
{
	uint64_t now = driver_clock();
	struct engine_write write;
	unsigned int count = 0;

	while (turn_has_room(driver) && engine_next_write(driver->config.engine, now, &write)) {
		struct io_uring_sqe *sqe = turn_sqe(driver);

		io_uring_prep_write(sqe, driver->lane[write.lane].fd, write.umad,
				    (unsigned int)write.bytes, 0);
		turn_sqe_tag(driver, sqe, REQUEST_WRITE, write.lane, write.slot);
		count++;
	}
	return count;
}

static void fill_aborts(struct driver *driver)
{
	uint32_t slot;
	unsigned int lane;

	while (engine_next_abort(driver->config.engine, &slot, &lane)) {
		struct io_uring_sqe *sqe = turn_sqe(driver);

		io_uring_prep_cancel64(sqe, request_tag(REQUEST_WRITE, lane, slot), 0);
		turn_sqe_tag(driver, sqe, REQUEST_CANCEL, lane, 0);
	}
}

static void fill_wake(struct driver *driver)
{
	struct io_uring_sqe *sqe;

	if (driver->wake_posted)
		return;
	sqe = turn_sqe(driver);
	io_uring_prep_read(sqe, driver->wake_fd, &driver->wake_count, sizeof(driver->wake_count),
			   0);
	io_uring_sqe_set_data64(sqe, request_tag(REQUEST_WAKE, 0, 0));
	driver->pending++;
	driver->wake_posted = true;
}

static unsigned int fill(struct driver *driver)
{
	fill_aborts(driver);
	fill_wake(driver);
	if (driver->multishot)
		buffers_provide(driver);
	for (unsigned int lane = 0; lane < driver->lanes; lane++)
		lane_fill(driver, lane);
	return fill_writes(driver);
}

int driver_turn(struct driver *driver, uint64_t wait_ns)
{
	unsigned int writes = fill(driver);
	uint32_t in_flight = engine_in_flight(driver->config.engine);
	unsigned int count = 1;
	uint64_t arrived = driver->arrived;
	int error;

	if (engine_wants_write(driver->config.engine))
		wait_ns = 0;
	/* Writes complete at once; what is waited for is beyond them. */
	if (in_flight >= BATCH_IN_FLIGHT && !driver->quiet && wait_ns) {
		count = in_flight / BATCH_PART;
		if (wait_ns > BATCH_NS)
			wait_ns = BATCH_NS;
	}
	error = turn_enter(driver, writes + count, wait_ns);
	turn_reap(driver);
	driver->quiet = driver->arrived == arrived;
	return error < 0 ? error : (int)writes;
}

static void prepare_timer(struct driver *driver, uint64_t at)
{
	struct io_uring_sqe *sqe = turn_sqe(driver);
	bool update = driver->timer_at != ENGINE_NEVER;
	uint64_t tag = request_tag(REQUEST_TIMER, 0, 0);

	driver->timer_at = at;
	driver->timer = (struct __kernel_timespec){
		.tv_sec = (long long)(at / 1000000000u),
		.tv_nsec = (long long)(at % 1000000000u),
	};
	driver->pending++;
	if (update) {
		io_uring_prep_timeout_update(sqe, &driver->timer, tag, IORING_TIMEOUT_ABS);
		io_uring_sqe_set_data64(sqe, request_tag(REQUEST_REST, 0, 0));
		return;
	}
	io_uring_prep_timeout(sqe, &driver->timer, 0, IORING_TIMEOUT_ABS);
	io_uring_sqe_set_data64(sqe, tag);
}

int driver_arm(struct driver *driver, uint64_t at)
{
	fill(driver);
	if (at < driver->timer_at)
		prepare_timer(driver, at);
	return turn_enter(driver, 0, 0);
}
