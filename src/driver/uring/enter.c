/* SPDX-License-Identifier: BSD-2-Clause */
/* Entering the kernel: submits prepared entries and waits for completions. */
#include "driver/uring/uring.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

/* The entries of the submission queue that writes and posted reads leave free. */
#define RESERVED_ENTRIES 128u
/* The longest wait at a time for the kernel's thread to make room in the queue. */
#define ROOM_NS 100000u

bool enter_has_room(const struct driver *driver)
{
	return io_uring_sq_space_left(&driver->uring->ring) > RESERVED_ENTRIES;
}

void enter_tag(struct driver *driver, struct io_uring_sqe *sqe, enum request what,
	       unsigned int lane, uint32_t value)
{
	io_uring_sqe_set_data64(sqe, request_tag(what, lane, value));
	driver->uring->lane[lane].pending++;
	driver->uring->pending++;
}

bool enter_may_bring_more(const struct driver *driver)
{
	return IO_URING_READ_ONCE(*driver->uring->ring.sq.kflags) &
	       (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

bool enter_has_taken(const struct driver *driver, unsigned int tail)
{
	return (int)(io_uring_smp_load_acquire(driver->uring->ring.sq.khead) - tail) >= 0;
}

static int submit_now(struct driver *driver)
{
	int error;

	if (!io_uring_sq_ready(&driver->uring->ring) && !enter_may_bring_more(driver))
		return 0;
	driver->entries++;
	error = io_uring_submit_and_get_events(&driver->uring->ring);
	return error < 0 ? error : 0;
}

/*
 * Publishes the prepared entries, as io_uring_submit(3) does before it enters the kernel. Returns
 * how many the kernel has not taken.
 */
static unsigned int publish_entries(struct io_uring_sq *sq)
{
	sq->sqe_head = sq->sqe_tail;
	io_uring_smp_store_release(sq->ktail, sq->sqe_tail);
	return sq->sqe_tail - IO_URING_READ_ONCE(*sq->khead);
}

int enter_ring(struct driver *driver, unsigned int submit, unsigned int count, unsigned int flags,
	       uint64_t wait_ns)
{
	struct __kernel_timespec limit = {
		.tv_sec = (long long)(wait_ns / 1000000000u),
		.tv_nsec = (long long)(wait_ns % 1000000000u),
	};
	struct io_uring_getevents_arg arg = {
		.sigmask_sz = _NSIG / 8,
		.ts = wait_ns == ENGINE_NEVER ? 0 : (uint64_t)(uintptr_t)&limit,
	};

	driver->entries++;
	return io_uring_enter2((unsigned int)driver->uring->ring.ring_fd, submit, count,
			       flags | IORING_ENTER_EXT_ARG, (sigset_t *)&arg, sizeof(arg));
}

/*
 * Submits and waits. Returns -EINTR if a signal interrupted the wait.
 * io_uring_submit_and_wait_timeout(3) cannot tell: if the entry has submitted something, the
 * kernel returns that number, and the function waits again. Here, too few completions before the
 * time is up mean a signal.
 */
static int submit_and_wait(struct driver *driver, unsigned int count, uint64_t wait_ns)
{
	uint64_t start = wait_ns == ENGINE_NEVER ? 0 : driver_clock();
	int result = idle_wait(driver, publish_entries(&driver->uring->ring.sq), count,
			       IORING_ENTER_GETEVENTS, wait_ns);

	if (result < 0)
		return result;
	if (io_uring_cq_ready(&driver->uring->ring) < count &&
	    (wait_ns == ENGINE_NEVER || driver_clock() - start < wait_ns))
		return -EINTR;
	return 0;
}

/*
 * Publishes the prepared entries for the kernel's thread. Returns the flags of the
 * io_uring_enter(2) that is needed because the thread sleeps, or because completions had no room;
 * or 0.
 */
static unsigned int publish_to_thread(struct driver *driver)
{
	unsigned int left = publish_entries(&driver->uring->ring.sq);
	unsigned int flags = 0;
	unsigned int state;

	/* The thread sets its flag before it sleeps, and then checks the queue once more. */
	atomic_thread_fence(memory_order_seq_cst);
	state = IO_URING_READ_ONCE(*driver->uring->ring.sq.kflags);
	if (left && state & IORING_SQ_NEED_WAKEUP)
		flags |= IORING_ENTER_SQ_WAKEUP;
	if (state & IORING_SQ_CQ_OVERFLOW)
		flags |= IORING_ENTER_GETEVENTS;
	return flags;
}

/*
 * Submits and waits if a kernel thread submits (SQPOLL). The kernel is entered to wait for
 * completions, and seldom for anything else.
 */
static int wait_with_thread(struct driver *driver, unsigned int count, uint64_t wait_ns)
{
	unsigned int flags = publish_to_thread(driver);

	if (!wait_ns)
		count = 0;
	if (!wait_ns && !enter_has_room(driver)) {
		count = 1;
		wait_ns = ROOM_NS;
	}
	if (io_uring_cq_ready(&driver->uring->ring) < count)
		flags |= IORING_ENTER_GETEVENTS;
	return flags ? idle_wait(driver, 0, count, flags, wait_ns) : 0;
}

/*
 * Turns a result of io_uring_enter(2) into 0 or a negative errno. ETIME means that the wait is
 * over; EBUSY and EAGAIN, that completions have to be collected first. None of them is an error.
 * With EEXIST the kernel refuses a thread that did not open the ring.
 */
static int error_of_enter(int result)
{
	if (result >= 0 || result == -ETIME || result == -EBUSY || result == -EAGAIN)
		return 0;
	return result == -EEXIST ? -EREMOTE : result;
}

int enter_kernel(struct driver *driver, unsigned int count, uint64_t wait_ns)
{
	int error = driver_error(driver);

	if (error)
		return error;
	if (driver->config.sqpoll_idle_ms)
		error = wait_with_thread(driver, count, wait_ns);
	else
		error = wait_ns ? submit_and_wait(driver, count, wait_ns) : submit_now(driver);
	return error_of_enter(error);
}

int uring_check(const struct driver *driver)
{
	int error = driver_error(driver);

	if (!error && driver->uring->ring.flags & IORING_SETUP_SINGLE_ISSUER &&
	    !pthread_equal(driver->uring->thread, pthread_self()))
		error = -EREMOTE;
	return error;
}

int uring_try(struct driver *driver)
{
	int error = uring_check(driver);

	if (error)
		return error;
	error = error_of_enter(enter_ring(driver, 0, 0, IORING_ENTER_GETEVENTS, 0));
	return error == -EINTR ? 0 : error;
}

int enter_and_report(struct driver *driver)
{
	int error = enter_kernel(driver, 1, ENGINE_NEVER);

	if (!error || error == -EINTR) {
		complete_all(driver);
		return 0;
	}
	driver_give_up(driver, error);
	return error;
}

static void make_queue_room(struct driver *driver)
{
	unsigned int flags = IORING_ENTER_SQ_WAIT;
	int error;

	if (driver->config.sqpoll_idle_ms)
		error = error_of_enter(
			enter_ring(driver, 0, 0, flags | publish_to_thread(driver), 0));
	else
		error = enter_kernel(driver, 0, 0);
	if (error && error != -EINTR)
		driver->error = error;
}

struct io_uring_sqe *enter_sqe(struct driver *driver)
{
	struct io_uring_sqe *sqe;

	while (!(sqe = io_uring_get_sqe(&driver->uring->ring))) {
		if (driver->error)
			return &driver->uring->spare_sqe;
		make_queue_room(driver);
	}
	return sqe;
}
