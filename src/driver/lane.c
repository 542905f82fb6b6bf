/* SPDX-License-Identifier: BSD-2-Clause */
/* A lane's file: the reads and the poll that stand on it, from its opening to its end. */
#include "driver/uring.h"

#include "base/debug.h"

#include <errno.h>
#include <poll.h>

/* Known to kernels from 6.7, not to liburing 2.3. */
#define READ_MULTISHOT 49

/* Single reads that a lane posts at a time, where multishot does not work; fewer when there
   would not be as many for every lane. */
#define POSTED_READS 64u

static void arm_multishot(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];
	struct io_uring_sqe *sqe = enter_sqe(driver);

	/* The length comes from the provided buffer; one of our own must be 0. */
	io_uring_prep_rw(READ_MULTISHOT, sqe, file->fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = BUFFER_GROUP;
	enter_tag(driver, sqe, REQUEST_MULTISHOT, lane, 0);
	file->armed = true;
}

static void disarm_multishot(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];
	struct io_uring_sqe *sqe;

	if (!file->armed || file->disarming)
		return;
	sqe = enter_sqe(driver);
	io_uring_prep_cancel64(sqe, request_tag(REQUEST_MULTISHOT, lane, 0), 0);
	enter_tag(driver, sqe, REQUEST_CANCEL, lane, 0);
	file->disarming = true;
}

static uint32_t reads_for_a_lane(const struct driver *driver)
{
	uint32_t share = driver->config.reads / MADRING_MAX_LANES;

	return share < POSTED_READS ? share : POSTED_READS;
}

/*
 * The reads are linked: only the first waits for data, and each that is served issues the
 * next. Side by side, every MAD would wake them all, and one that loses that race often enough
 * (128 times) is handed to a worker thread. A link is cut where a read is short, which a timeout
 * notice is: the rest come back cancelled, and are posted again.
 */
static void post_reads(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];
	struct buffers *buffers = &driver->buffers;
	struct io_uring_sqe *sqe = NULL;

	if (file->posted)
		return;
	while (file->posted < reads_for_a_lane(driver) && buffers->at_hand_count &&
	       enter_has_room(driver)) {
		uint16_t number = buffers->at_hand[--buffers->at_hand_count];

		sqe = enter_sqe(driver);
		io_uring_prep_read(sqe, file->fd, buffers->mad[number], BUFFER_BYTES, 0);
		sqe->flags |= IOSQE_IO_LINK;
		enter_tag(driver, sqe, REQUEST_READ, lane, number);
		file->posted++;
	}
	if (sqe)
		sqe->flags &= (uint8_t)~IOSQE_IO_LINK;
}

static void arm_poll(struct driver *driver, unsigned int lane)
{
	struct io_uring_sqe *sqe = enter_sqe(driver);

	/* A multishot read may miss a wake-up that brings nothing but an error. A single poll would
	   be set up anew for every MAD that wakes it. */
	io_uring_prep_poll_multishot(sqe, driver->lane[lane].fd, POLLERR | POLLHUP);
	enter_tag(driver, sqe, REQUEST_POLL, lane, 0);
	driver->lane[lane].watched = true;
}

static inline bool should_be_read(const struct lane_file *file)
{
	return file->fd >= 0 && !file->lost;
}

static void lane_fill(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];

	if (!should_be_read(file) || file->resting)
		return;
	if (!file->watched)
		arm_poll(driver, lane);
	if (engine_lane_is_full(driver->engine, lane)) {
		/* What comes stays in the kernel; single reads that are posted are used up. */
		disarm_multishot(driver, lane);
		return;
	}
	if (file->long_bytes)
		long_read(driver, lane);
	if (file->long_bytes || file->lost || file->resting)
		return;
	if (!driver->multishot)
		post_reads(driver, lane);
	else if (!file->armed && driver->buffers.vacant_count < driver->config.reads)
		arm_multishot(driver, lane);
}

static inline bool is_read(const struct lane_file *file)
{
	return (file->armed || file->posted) && file->watched && !file->long_bytes;
}

static void end_rest(struct driver *driver)
{
	driver->rest_ends = ENGINE_NEVER;
	driver->unread = true;
	for (unsigned int lane = 0; lane < driver->lanes; lane++)
		driver->lane[lane].resting = false;
}

void lanes_fill(struct driver *driver)
{
	/* Where nobody receives requests, nothing keeps a lane from being read. */
	bool may_be_full = engine_receivers(driver->engine);

	if (driver->rest_ends <= driver->filled_at)
		end_rest(driver);
	if (!may_be_full && !driver->unread)
		return;
	driver->unread = false;
	for (unsigned int lane = 0; lane < driver->lanes; lane++) {
		const struct lane_file *file = &driver->lane[lane];

		if (may_be_full || !is_read(file))
			lane_fill(driver, lane);
		driver->unread |= should_be_read(file) && !is_read(file);
	}
}

/* Has the kernel's thread take what is prepared, and waits until it has: a refusal is reported
   before the end of what was handed over later. */
static int enter_and_be_taken(struct driver *driver)
{
	struct io_uring_sqe *sqe = enter_sqe(driver);
	int error = 0;

	io_uring_prep_nop(sqe);
	io_uring_sqe_set_data64(sqe, request_tag(REQUEST_MARK, 0, 0));
	driver->pending++;
	driver->mark_seen = false;
	while (!driver->mark_seen && (!error || error == -EINTR)) {
		error = enter_kernel(driver, 1, ENGINE_NEVER);
		complete_all(driver);
	}
	return driver->mark_seen ? 0 : error;
}

/* Hands over what is prepared. What the kernel refuses is known afterwards. */
static int enter_and_see(struct driver *driver)
{
	int error;

	if (driver->config.sqpoll_idle_ms)
		return enter_and_be_taken(driver);
	error = enter_kernel(driver, 0, 0);
	complete_all(driver);
	return error;
}

void driver_settle(struct driver *driver)
{
	unsigned int tail = driver->uring.sq.sqe_tail;
	int error = driver_state(driver);

	if (error)
		return;
	while (!enter_has_taken(driver, tail) && (!error || error == -EINTR))
		error = enter_and_see(driver);
	complete_all(driver);
	if (!enter_has_taken(driver, tail))
		driver_give_up(driver, error);
}

/* Whether the file takes a multishot read is seen by arming one: a refusal comes at once. */
static int try_multishot(struct driver *driver, unsigned int lane)
{
	int error = buffers_ring_open(driver);

	if (error < 0)
		return -ENOSYS;
	buffers_provide(driver);
	arm_multishot(driver, lane);
	error = enter_and_see(driver);
	if (error < 0)
		return error;
	return driver->lane[lane].refused ? -ENOSYS : 0;
}

static int decide(struct driver *driver, unsigned int lane)
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
	buffers_ring_close(driver);
	return 0;
}

int driver_lane_open(struct driver *driver, unsigned int lane, int fd)
{
	/* An error that is found here leaves nothing to undo. */
	int error = driver_try(driver);

	assert(driver->engine && lane < MADRING_MAX_LANES && fd >= 0 && driver->lane[lane].fd < 0);
	if (error < 0)
		return error;
	driver->lane[lane] = (struct lane_file){ .fd = fd };
	driver->unread = true;
	if (lane >= driver->lanes)
		driver->lanes = lane + 1;
	if (!driver->decided)
		error = decide(driver, lane);
	if (!error) {
		if (!driver->decided && debug_is(DEBUG_EVENTS))
			debug_say("received by %s",
				  driver->multishot ? "multishot reads" : "posted reads");
		driver->decided = true;
		lane_fill(driver, lane);
		error = enter_and_see(driver);
	}
	if (!error && driver->lane[lane].refused)
		error = -ENOSYS;
	if (error < 0)
		driver_lane_close(driver, lane);
	return error;
}

void driver_lane_close(struct driver *driver, unsigned int lane)
{
	struct lane_file *file = &driver->lane[lane];

	assert(lane < MADRING_MAX_LANES);
	if (file->fd < 0)
		return;
	file->closing = true;
	loss_of_lane(driver, lane);
	while (!driver_state(driver)) {
		/* Again, because a read that was served issues the next one of its chain when this
		   thread enters the kernel, which may be after the cancelling. An interrupted wait
		   is waited again, too: the buffers are the kernel's till then. */
		loss_cancel(driver, lane);
		if (enter_to_end(driver) || !file->pending)
			break;
	}
	file->fd = -1;
}
