/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens and closes the driver: io_uring, the wake-up, the receive buffers. */
#include "driver/uring/uring.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

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

	return io_uring_queue_init_params(config->submissions, &driver->uring, &params);
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
		return -ENOSYS;
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

	if (driver->config.sqpoll_idle_ms)
		error = set_up_uring(driver, SQPOLL_FLAGS);
	else
		error = set_up_uring_best(driver);
	if (!error)
		return 0;
	driver->uring.ring_fd = -1;
	return error_of_setup(error);
}

static int open_owner_flag(struct driver *driver)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -ENOMEM;
	driver->is_owner = memory;
	*driver->is_owner = true;
	return madvise(memory, page, MADV_WIPEONFORK) ? -ENOMEM : 0;
}

static int open_parts(struct driver *driver)
{
	int error = open_owner_flag(driver);

	if (!error)
		error = uring_open(driver);
	if (error < 0)
		return error;
	driver->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return driver->wake_fd < 0 ? -errno : 0;
}

int driver_open(struct driver **out, const struct driver_config *config)
{
	struct driver *driver = calloc(1, sizeof(*driver));
	int error;

	if (!driver)
		return -ENOMEM;
	driver->config = *config;
	driver->uring.ring_fd = -1;
	driver->thread = pthread_self();
	driver->wake_fd = -1;
	driver->ready_fd = -1;
	driver->timer_at = ENGINE_NEVER;
	driver->rest_ends = ENGINE_NEVER;
	for (unsigned int lane = 0; lane < MADRING_MAX_LANES; lane++)
		driver->lane[lane].fd = -1;
	error = open_parts(driver);
	if (error < 0) {
		driver_close(driver);
		return error;
	}
	*out = driver;
	return 0;
}

int driver_attach(struct driver *driver, struct engine *engine, struct pool *pool)
{
	assert(!driver->engine);
	driver->engine = engine;
	driver->pool = pool;
	driver->plain = pool_plain_memory(pool);
	return buffers_open(driver);
}

bool driver_is_inherited(const struct driver *driver)
{
	return !*driver->is_owner;
}

/*
 * Memory that the kernel may still write into must neither be unmapped nor reused before its
 * request is reported. Here the driver cannot wait for that. Closing io_uring's fd makes the
 * kernel cancel all requests, but only after close(2) has returned, and it does not report when.
 * So all memory that a request may point to is kept.
 */
void driver_give_up(struct driver *driver, int error)
{
	if (!driver->error)
		driver->error = error;
	driver->uncollected = 0;
	if (driver->uring.ring_fd >= 0)
		io_uring_queue_exit(&driver->uring);
	driver->uring.ring_fd = -1;
	/* The program's next step returns the error. */
	ready_signal(driver);
}

static void cancel_all(struct driver *driver)
{
	struct io_uring_sqe *sqe;

	if (!driver->pending || driver_error(driver))
		return;
	sqe = enter_sqe(driver);
	io_uring_prep_cancel64(sqe, 0, IORING_ASYNC_CANCEL_ANY);
	io_uring_sqe_set_data64(sqe, request_tag(REQUEST_REST, 0, 0));
	driver->pending++;
	while (driver->pending && !enter_and_report(driver))
		;
}

/* Closes io_uring. In a child of fork(2), only the child's descriptors and mappings are closed. */
static void uring_close(struct driver *driver)
{
	for (unsigned int lane = 0; lane < driver->lanes; lane++)
		driver_lane_close(driver, lane);
	cancel_all(driver);
	if (driver->uring.ring_fd < 0)
		return;
	if (!driver_is_inherited(driver))
		buffers_ring_close(driver);
	io_uring_queue_exit(&driver->uring);
}

static void free_driver(struct driver *driver)
{
	buffers_close(driver);
	if (driver->is_owner)
		munmap(driver->is_owner, (size_t)sysconf(_SC_PAGESIZE));
	free(driver);
}

int driver_close(struct driver *driver)
{
	if (driver->uring.ring_fd >= 0)
		uring_close(driver);
	if (driver->wake_fd >= 0)
		close(driver->wake_fd);
	if (driver->ready_fd >= 0)
		close(driver->ready_fd);
	if (driver->error && driver->pending)
		return driver->error;
	free_driver(driver);
	return 0;
}

int driver_wake(const struct driver *driver)
{
	uint64_t one = 1;

	/* A full counter means a wake-up that was not taken yet: nothing is lost. */
	if (write(driver->wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		return -errno;
	return 0;
}

bool driver_was_woken(struct driver *driver)
{
	bool woken = driver->woken;

	driver->woken = false;
	return woken;
}

void driver_set_tap(struct driver *driver, const struct driver_tap *tap)
{
	driver->tap = tap;
}

uint64_t driver_entries(const struct driver *driver)
{
	return driver->entries;
}

bool driver_is_multishot(const struct driver *driver)
{
	return driver->multishot;
}
