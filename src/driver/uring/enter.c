/* SPDX-License-Identifier: BSD-2-Clause */
/* Entering the kernel: submits prepared entries and waits for completions. */
#include "driver/uring/uring.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>

/* The longest wait at a time for the kernel's thread to make room in the queue. */
#define ROOM_NS 100000u

static int submit_now(struct driver *driver)
{
	int error;

	if (!io_uring_sq_ready(&driver->uring->ring) && !enter_may_bring_more(driver))
		return 0;
	driver->entries++;
	error = io_uring_submit_and_get_events(&driver->uring->ring);
	if (error >= 0)
		driver->uring->refused_since = 0;
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

/*
 * Tells what has ended a wait, of which io_uring_enter(2) has returned @result: 0 is completions or
 * the time, -EINTR a signal. io_uring_submit_and_wait_timeout(3) cannot tell: if the entry has
 * submitted something, the kernel returns that number, and the function waits again. Here, too few
 * completions before the time is up mean a signal.
 */
static int end_of_wait(const struct driver *driver, int result, unsigned int count, bool is_over)
{
	if (result < 0)
		return result;
	return is_over || io_uring_cq_ready(&driver->uring->ring) >= count ? 0 : -EINTR;
}

/*
 * Submits, unless a thread of the kernel does so, and waits. Goes on after a signal for which the
 * program has no handler: Ctrl-Z, a debugger. Returns -EINTR if it has one.
 */
static int submit_and_wait(struct driver *driver, unsigned int count, unsigned int flags,
			   uint64_t wait_ns)
{
	const bool has_limit = wait_ns != ENGINE_NEVER;
	const uint64_t start = has_limit ? driver_clock() : 0;
	uint64_t passed = 0;
	int result;

	do {
		unsigned int left = driver->config.sqpoll_idle_ms
					    ? 0
					    : publish_entries(&driver->uring->ring.sq);

		result = idle_wait(driver, left, count, flags,
				   has_limit ? wait_ns - passed : wait_ns);
		if (result < 0 && result != -EINTR)
			return result;
		if (has_limit)
			passed = driver_clock() - start;
		result = end_of_wait(driver, result, count, has_limit && passed >= wait_ns);
		if (result != -EINTR)
			return result;
		if (!interrupt_is_real(driver))
			return refusal_note(driver);
		if (interrupt_has_handler())
			return -EINTR;
	} while (!has_limit || passed < wait_ns);
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
	return flags ? submit_and_wait(driver, count, flags, wait_ns) : 0;
}

/*
 * Turns a result of io_uring_enter(2) into 0 or a negative errno. ETIME means that the wait is
 * over; EBUSY and EAGAIN, that completions have to be collected first. None of them is an error,
 * unless it lasts. With EEXIST the kernel refuses a thread that did not open the ring.
 */
static int error_of_enter(struct driver *driver, int result)
{
	if (result == -EBUSY || result == -EAGAIN)
		return refusal_note(driver);
	if (result >= 0 || result == -ETIME)
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
		error = wait_ns ? submit_and_wait(driver, count, IORING_ENTER_GETEVENTS, wait_ns)
				: submit_now(driver);
	/* An entry that does not wait cannot be interrupted. */
	if (error == -EINTR && !wait_ns)
		return refusal_note(driver);
	return error_of_enter(driver, error);
}

int uring_try(struct driver *driver)
{
	int error = driver_error(driver);

	if (error)
		return error;
	error = enter_ring(driver, 0, 0, IORING_ENTER_GETEVENTS, 0);
	return error == -EINTR ? refusal_note(driver) : error_of_enter(driver, error);
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
			driver, enter_ring(driver, 0, 0, flags | publish_to_thread(driver), 0));
	else
		error = enter_kernel(driver, 0, 0);
	if (error == -EINTR)
		error = interrupt_is_real(driver) ? 0 : refusal_note(driver);
	if (error)
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
