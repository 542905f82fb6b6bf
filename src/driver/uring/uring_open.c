/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets io_uring up, and closes it. */
#include "driver/uring/uring.h"

#include <errno.h>
#include <sys/resource.h>

_Static_assert(sizeof(struct driver) % _Alignof(struct uring) == 0,
	       "io_uring's state may follow the driver in memory");

#define COMMON_FLAGS (IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP)

/*
 * The ways to set io_uring up, the best first: completions are processed only when this thread
 * asks.
 */
static const unsigned int setup_flags[] = {
	COMMON_FLAGS | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
		IORING_SETUP_TASKRUN_FLAG,
	COMMON_FLAGS | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
};
/* With SQPOLL the kernel's thread processes completions as well. */
#define SQPOLL_FLAGS (COMMON_FLAGS | IORING_SETUP_SQPOLL)

/* Tells whether the memory-lock limit can be the cause of an ENOMEM. It is by far the likeliest. */
static bool is_memory_lock_limited(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY;
}

static int set_up_uring(struct driver *driver, unsigned int flags)
{
	const struct driver_config *config = &driver->config;
	struct io_uring_params params = {
		.flags = flags,
		.sq_thread_idle = config->sqpoll_idle_ms,
		.cq_entries = 2 * (config->submissions + config->reads),
	};

	return io_uring_queue_init_params(config->submissions, &driver->uring->ring, &params);
}

static int set_up_uring_best(struct driver *driver)
{
	int error = -EINVAL;

	for (size_t i = 0; i < sizeof(setup_flags) / sizeof(setup_flags[0]); i++) {
		error = set_up_uring(driver, setup_flags[i]);
		if (error != -EINVAL)
			break;
	}
	return error;
}

static int error_of_setup(int error)
{
	switch (-error) {
	case EINVAL:
		return -EOPNOTSUPP;
	case ENOMEM:
		return is_memory_lock_limited() ? -ENOBUFS : error;
	case EACCES:
		return -EPERM;
	case EAGAIN:
		/* The kernel could not make its thread, which counts as a process. */
		return -ECHILD;
	default:
		return error;
	}
}

static int uring_open(struct driver *driver)
{
	int error;

	driver->uring = (struct uring *)(driver + 1);
	if (driver->config.sqpoll_idle_ms)
		error = set_up_uring(driver, SQPOLL_FLAGS);
	else
		error = set_up_uring_best(driver);
	if (error)
		return error_of_setup(error);
	/* A seccomp filter may forbid entering what it lets a program set up. */
	error = uring_try(driver);
	if (error)
		io_uring_queue_exit(&driver->uring->ring);
	return error ? error_of_setup(error) : 0;
}

static void cancel_all(struct driver *driver)
{
	struct io_uring_sqe *sqe;

	if (!driver->uring->pending || driver_error(driver))
		return;
	sqe = enter_sqe(driver);
	io_uring_prep_cancel64(sqe, 0, IORING_ASYNC_CANCEL_ANY);
	io_uring_sqe_set_data64(sqe, request_tag(REQUEST_REST, 0, 0));
	driver->uring->pending++;
	while (driver->uring->pending && !enter_and_report(driver))
		;
}

/* Tells whether io_uring has ended before all requests were reported. */
static bool uring_is_pending(const struct driver *driver)
{
	return driver->error && driver->uring->pending;
}

/* Closes io_uring. In a child of fork(2), only the child's descriptors and mappings are closed. */
static void uring_close(struct driver *driver)
{
	if (driver->uring->ring.ring_fd >= 0) {
		cancel_all(driver);
		if (driver->uring->ring.ring_fd >= 0 && !driver_is_inherited(driver))
			provide_close(driver);
	}
	if (driver->uring->ring.ring_fd >= 0)
		io_uring_queue_exit(&driver->uring->ring);
	if (!uring_is_pending(driver))
		provide_unmap(driver);
}

/*
 * Memory that the kernel may still write into must neither be unmapped nor reused before its
 * request is reported. Here the driver cannot wait for that. Closing io_uring's fd makes the
 * kernel cancel all requests, but only after close(2) has returned, and it does not report when.
 * So all memory that a request may point to is kept.
 */
static void uring_give_up(struct driver *driver)
{
	if (driver->uring->ring.ring_fd >= 0)
		io_uring_queue_exit(&driver->uring->ring);
	driver->uring->ring.ring_fd = -1;
}

const struct driver_operations uring_operations = {
	.state_bytes = sizeof(struct uring),
	.open = uring_open,
	.close = uring_close,
	.is_pending = uring_is_pending,
	.try = uring_try,
	.give_up = uring_give_up,
	.lane_open = uring_lane_open,
	.lane_close = uring_lane_close,
	.lane_lost = lane_cancel,
	.turn = uring_turn,
	.settle = uring_settle,
	.collect = uring_collect,
	.fd = uring_fd,
	.ready_clear = uring_ready_clear,
	.arm = uring_arm,
};
