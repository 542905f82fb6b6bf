/* SPDX-License-Identifier: BSD-2-Clause */
/* One turn: what is prepared goes to the kernel, what has happened comes back, in one entry. */
#include "driver/state.h"

#include <errno.h>
#include <signal.h>
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
/* Posted reads are used up one by one: waiting for more than there are would be in vain. */
#define BATCH_POSTED 16u

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

/*
 * The kernel's flags tell of work that waits for this thread to enter it, but not of what is
 * left over of it: one entry does some twenty pieces of it. So an entry that brought something
 * is followed by another.
 */
bool turn_may_bring_more(const struct driver *driver)
{
	return driver->brought_some || (IO_URING_READ_ONCE(*driver->uring.sq.kflags) &
					(IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW));
}

static int enter_now(struct driver *driver)
{
	int error;

	if (!io_uring_sq_ready(&driver->uring) && !turn_may_bring_more(driver))
		return 0;
	driver->entries++;
	error = io_uring_submit_and_get_events(&driver->uring);
	return error < 0 ? error : 0;
}

/* Publishes the prepared entries, as io_uring_submit(3) does before it enters the kernel.
   Returns how many the kernel has not taken. */
static unsigned int publish(struct io_uring_sq *sq)
{
	sq->sqe_head = sq->sqe_tail;
	io_uring_smp_store_release(sq->ktail, sq->sqe_tail);
	return sq->sqe_tail - IO_URING_READ_ONCE(*sq->khead);
}

/*
 * Not by io_uring_submit_and_wait_timeout(3): when a signal interrupts the wait of an entry
 * that has submitted something, the kernel returns what it submitted, and that function then
 * waits again. Nobody would learn of the signal. Here, too few completions before the time is
 * up mean one.
 */
static int enter_and_wait(struct driver *driver, unsigned int count, uint64_t wait_ns)
{
	struct __kernel_timespec limit = {
		.tv_sec = (long long)(wait_ns / 1000000000u),
		.tv_nsec = (long long)(wait_ns % 1000000000u),
	};
	struct io_uring_getevents_arg arg = {
		.sigmask_sz = _NSIG / 8,
		.ts = wait_ns == ENGINE_NEVER ? 0 : (uint64_t)(uintptr_t)&limit,
	};
	uint64_t start = driver_clock();
	int result;

	driver->entries++;
	result = io_uring_enter2((unsigned int)driver->uring.ring_fd, publish(&driver->uring.sq),
				 count, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG,
				 (sigset_t *)&arg, sizeof(arg));
	if (result < 0)
		return result;
	if (io_uring_cq_ready(&driver->uring) < count &&
	    (wait_ns == ENGINE_NEVER || driver_clock() - start < wait_ns))
		return -EINTR;
	return 0;
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
			driver->engine,
			madring_mad_umad(buffers->mad[cqe[i]->flags >> IORING_CQE_BUFFER_SHIFT]));
	}
}

void turn_reap(struct driver *driver)
{
	struct io_uring_cqe *cqe[32];
	uint64_t now = driver_clock();
	unsigned int count;

	driver->brought_some = false;
	while ((count = io_uring_peek_batch_cqe(&driver->uring, cqe, 32)) > 0) {
		driver->brought_some = true;
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

	while (turn_has_room(driver) && engine_next_write(driver->engine, now, &write)) {
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

	while (engine_next_abort(driver->engine, &slot, &lane)) {
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

unsigned int turn_fill(struct driver *driver)
{
	fill_aborts(driver);
	fill_wake(driver);
	if (driver->multishot)
		buffers_provide(driver);
	for (unsigned int lane = 0; lane < driver->lanes; lane++)
		lane_fill(driver, lane);
	return fill_writes(driver);
}

/* How long a turn may wait: until @until, or the next timer; not while more is to be written. */
static uint64_t wait_for(const struct driver *driver, uint64_t until)
{
	uint64_t deadline = engine_next_deadline(driver->engine);
	uint64_t now;

	if (engine_wants_write(driver->engine))
		return 0;
	if (deadline < until)
		until = deadline;
	if (until == ENGINE_NEVER || !until)
		return until;
	now = driver_clock();
	return until > now ? until - now : 0;
}

int driver_turn(struct driver *driver, uint64_t until)
{
	unsigned int writes = turn_fill(driver);
	uint32_t in_flight = engine_in_flight(driver->engine);
	uint64_t wait_ns = wait_for(driver, until);
	uint64_t arrived = driver->arrived;
	unsigned int count = 1;
	int error;

	if (in_flight >= BATCH_IN_FLIGHT && !driver->quiet && wait_ns) {
		count = in_flight / BATCH_PART;
		if (!driver->multishot && count > BATCH_POSTED)
			count = BATCH_POSTED;
		if (wait_ns > BATCH_NS)
			wait_ns = BATCH_NS;
	}
	/* Writes complete at once; what is waited for is beyond them. */
	error = turn_enter(driver, writes + count, wait_ns);
	turn_reap(driver);
	driver->quiet = driver->arrived == arrived;
	return error < 0 ? error : (int)writes;
}
