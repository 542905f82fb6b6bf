/* SPDX-License-Identifier: BSD-2-Clause */
/* A lane's file: its reads and its poll, from opening to closing. */
#include "driver/uring/uring.h"

#include "base/debug.h"

#include <errno.h>
#include <poll.h>

/* IORING_OP_READ_MULTISHOT. Kernels from 6.7 have it; liburing 2.3 does not name it. */
#define READ_MULTISHOT 49

/*
 * The number of single reads that a lane posts where multishot reads do not work. A lane posts
 * fewer if there are not as many buffers for every lane.
 */
#define POSTED_READS 64u

static void arm_multishot(struct driver *driver, unsigned int lane)
{
	struct io_uring_sqe *sqe = enter_sqe(driver);

	/* The provided buffer has the length; a length here must be 0. */
	io_uring_prep_rw(READ_MULTISHOT, sqe, driver->lane[lane].fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = BUFFER_GROUP;
	enter_tag(driver, sqe, REQUEST_MULTISHOT, lane, 0);
	driver->uring->lane[lane].armed = true;
}

static void disarm_multishot(struct driver *driver, unsigned int lane)
{
	struct uring_lane *requests = &driver->uring->lane[lane];
	struct io_uring_sqe *sqe;

	if (!requests->armed || requests->disarming)
		return;
	sqe = enter_sqe(driver);
	io_uring_prep_cancel64(sqe, request_tag(REQUEST_MULTISHOT, lane, 0), 0);
	enter_tag(driver, sqe, REQUEST_CANCEL, lane, 0);
	requests->disarming = true;
}

static uint32_t reads_per_lane(const struct driver *driver)
{
	uint32_t share = driver->config.reads / MADRING_MAX_LANES;

	return share < POSTED_READS ? share : POSTED_READS;
}

/*
 * Posts linked reads: only the first waits for data, and each read that is served issues the
 * next. Without links, every MAD would wake all reads. A read that loses that race 128 times is
 * handed to a worker thread. A short read, such as a timeout notice, breaks the chain: the rest
 * come back canceled and are posted again.
 */
static void post_reads(struct driver *driver, unsigned int lane)
{
	int fd = driver->lane[lane].fd;
	struct uring_lane *requests = &driver->uring->lane[lane];
	struct buffers *buffers = &driver->buffers;
	struct io_uring_sqe *sqe = NULL;

	if (requests->posted)
		return;
	while (requests->posted < reads_per_lane(driver) && buffers->at_hand_count &&
	       enter_has_room(driver)) {
		uint16_t number = buffers->at_hand[--buffers->at_hand_count];

		sqe = enter_sqe(driver);
		io_uring_prep_read(sqe, fd, buffers->mad[number], BUFFER_BYTES, 0);
		sqe->flags |= IOSQE_IO_LINK;
		enter_tag(driver, sqe, REQUEST_READ, lane, number);
		requests->posted++;
	}
	if (sqe)
		sqe->flags &= (uint8_t)~IOSQE_IO_LINK;
}

static void arm_poll(struct driver *driver, unsigned int lane)
{
	struct io_uring_sqe *sqe = enter_sqe(driver);

	/*
	 * A multishot read may miss a wake-up that brings only an error. A single poll would have
	 * to be set up again for every MAD that wakes it.
	 */
	io_uring_prep_poll_multishot(sqe, driver->lane[lane].fd, POLLERR | POLLHUP);
	enter_tag(driver, sqe, REQUEST_POLL, lane, 0);
	driver->uring->lane[lane].watched = true;
}

/* Prepares the reads and the poll that a lane lacks, unless its MADs have to stay in the kernel. */
static void fill_lane(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];
	const struct uring_lane *requests = &driver->uring->lane[lane];

	if (!is_readable(file) || file->resting)
		return;
	if (!requests->watched)
		arm_poll(driver, lane);
	if (engine_lane_is_full(driver->engine, lane)) {
		/* Further requests stay in the kernel. Posted reads that are under way go on. */
		disarm_multishot(driver, lane);
		return;
	}
	if (file->long_bytes)
		long_read(driver, lane);
	if (file->long_bytes || file->lost || file->resting)
		return;
	if (!driver->multishot)
		post_reads(driver, lane);
	else if (!requests->armed && driver->buffers.vacant_count < driver->config.reads)
		arm_multishot(driver, lane);
}

static inline bool is_being_read(const struct driver *driver, unsigned int lane)
{
	const struct uring_lane *requests = &driver->uring->lane[lane];

	return (requests->armed || requests->posted) && requests->watched &&
	       !driver->lane[lane].long_bytes;
}

void lanes_fill(struct driver *driver)
{
	/* If no agent receives requests, no lane is ever full. */
	bool may_be_full = engine_receivers(driver->engine);

	if (driver->rest_ends <= driver->filled_at)
		loss_end_rest(driver);
	if (!may_be_full && !driver->unread)
		return;
	driver->unread = false;
	for (unsigned int lane = 0; lane < driver->lanes; lane++) {
		if (may_be_full || !is_being_read(driver, lane))
			fill_lane(driver, lane);
		driver->unread |= is_readable(&driver->lane[lane]) && !is_being_read(driver, lane);
	}
}

void lane_cancel(struct driver *driver, unsigned int lane)
{
	struct io_uring_sqe *sqe = enter_sqe(driver);

	io_uring_prep_cancel_fd(sqe, driver->lane[lane].fd, IORING_ASYNC_CANCEL_ALL);
	enter_tag(driver, sqe, REQUEST_CANCEL, lane, 0);
}

/*
 * Makes the kernel's thread take all prepared entries, and waits until it has. The kernel reports
 * a refusal before the completion of an entry that was submitted later.
 */
static int wait_until_taken(struct driver *driver)
{
	struct io_uring_sqe *sqe = enter_sqe(driver);
	int error = 0;

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, request_tag(REQUEST_MARK, 0, 0));
	driver->uring->pending++;
	driver->uring->mark_seen = false;
	while (!driver->uring->mark_seen && (!error || error == -EINTR)) {
		error = enter_kernel(driver, 1, ENGINE_NEVER);
		complete_all(driver);
	}
	return driver->uring->mark_seen ? 0 : error;
}

/* Submits all prepared entries. After it, all refusals are known. */
static int submit_and_report(struct driver *driver)
{
	int error;

	if (driver->config.sqpoll_idle_ms)
		return wait_until_taken(driver);
	error = enter_kernel(driver, 0, 0);
	complete_all(driver);
	return error;
}

void uring_settle(struct driver *driver)
{
	unsigned int tail = driver->uring->ring.sq.sqe_tail;
	int error = 0;

	while (!enter_has_taken(driver, tail) && (!error || error == -EINTR))
		error = submit_and_report(driver);
	complete_all(driver);
	if (!enter_has_taken(driver, tail))
		driver_give_up(driver, error);
}

/*
 * Tries whether the file takes a multishot read: a refusal comes at once. Returns 0, -ENOSYS or
 * another negative errno.
 */
static int try_multishot(struct driver *driver, unsigned int lane)
{
	int error = provide_open(driver);

	if (error < 0)
		return -ENOSYS;
	provide_buffers(driver);
	arm_multishot(driver, lane);
	error = submit_and_report(driver);
	if (error < 0)
		return error;
	return driver->lane[lane].refused ? -ENOSYS : 0;
}

static int choose_strategy(struct driver *driver, unsigned int lane)
{
	int error;

	if (driver->config.receive == MADRING_RECEIVE_POSTED)
		return 0;
	driver->multishot = true;
	error = try_multishot(driver, lane);
	if (error != -ENOSYS || driver->config.receive == MADRING_RECEIVE_MULTISHOT)
		return error;
	driver->multishot = false;
	driver->lane[lane].refused = false;
	provide_close(driver);
	return 0;
}

int uring_lane_open(struct driver *driver, unsigned int lane)
{
	int error = 0;

	driver->uring->lane[lane] = (struct uring_lane){ 0 };
	if (!driver->has_strategy)
		error = choose_strategy(driver, lane);
	if (error)
		return error;
	if (!driver->has_strategy && debug_is(DEBUG_EVENTS))
		debug_say("received by %s", driver->multishot ? "multishot reads" : "posted reads");
	driver->has_strategy = true;
	fill_lane(driver, lane);
	error = submit_and_report(driver);
	return !error && driver->lane[lane].refused ? -ENOSYS : error;
}

void uring_lane_close(struct driver *driver, unsigned int lane)
{
	while (!driver_error(driver)) {
		/*
		 * Repeated, because a linked read that was served issues the next one when this
		 * thread enters the kernel, which may be after the cancellation. An interrupted
		 * wait is repeated, too: until all requests end, the buffers belong to the kernel.
		 */
		lane_cancel(driver, lane);
		if (enter_and_report(driver) || !driver->uring->lane[lane].pending)
			break;
	}
}
