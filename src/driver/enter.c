/* SPDX-License-Identifier: BSD-2-Clause */
/* Entering the kernel: what is prepared goes to it, and completions are waited for. */
#include "driver/state.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

/* Entries of the submission queue that writes and posted reads leave free. */
#define RESERVED_ENTRIES 128u

uint64_t driver_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool enter_has_room(const struct driver *driver)
{
	return io_uring_sq_space_left(&driver->uring) > RESERVED_ENTRIES;
}

struct io_uring_sqe *enter_sqe(struct driver *driver)
{
	struct io_uring_sqe *sqe;

	while (!(sqe = io_uring_get_sqe(&driver->uring)))
		enter_kernel(driver, 0, 0);
	return sqe;
}

void enter_tag(struct driver *driver, struct io_uring_sqe *sqe, enum request what,
	       unsigned int lane, uint32_t value)
{
	io_uring_sqe_set_data64(sqe, request_tag(what, lane, value));
	driver->lane[lane].pending++;
	driver->pending++;
}

bool enter_may_bring_more(const struct driver *driver)
{
	return IO_URING_READ_ONCE(*driver->uring.sq.kflags) &
	       (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW);
}

static int enter_now(struct driver *driver)
{
	int error;

	if (!io_uring_sq_ready(&driver->uring) && !enter_may_bring_more(driver))
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
	uint64_t start = wait_ns == ENGINE_NEVER ? 0 : driver_clock();
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

int enter_kernel(struct driver *driver, unsigned int count, uint64_t wait_ns)
{
	int error = wait_ns ? enter_and_wait(driver, count, wait_ns) : enter_now(driver);

	/* The time was up, or completions have to be collected first. */
	if (error == -ETIME || error == -EBUSY || error == -EAGAIN)
		return 0;
	return error < 0 ? error : 0;
}
