/* SPDX-License-Identifier: BSD-2-Clause */
/* One entry into the kernel, and what the submission queue has room for. */
#include "driver/uring/uring.h"

#include <signal.h>

/* The entries of the submission queue that writes and posted reads leave free. */
#define RESERVED_ENTRIES 128u

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

	int result = io_uring_enter2((unsigned int)driver->uring->ring.ring_fd, submit, count,
				     flags | IORING_ENTER_EXT_ARG, (sigset_t *)&arg, sizeof(arg));

	driver->entries++;
	if (result >= 0 || result == -ETIME)
		driver->uring->refused_since = 0;
	return result;
}
