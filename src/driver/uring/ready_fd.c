/* SPDX-License-Identifier: BSD-2-Clause */
/* The eventfd that the kernel signals after a completion. */
#include "driver/uring/uring.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

void uring_ready_clear(struct driver *driver)
{
	uint64_t count;

	io_uring_cq_eventfd_toggle(&driver->uring->ring, false);
	/* If there is nothing to read, the fd is clear already. */
	if (read(driver->ready_fd, &count, sizeof(count)) < 0)
		return;
}

int ready_open(struct driver *driver)
{
	int error;
	int fd;

	if (driver->ready_fd >= 0)
		return 0;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	io_uring_cq_eventfd_toggle(&driver->uring->ring, false);
	error = io_uring_register_eventfd(&driver->uring->ring, fd);
	if (error < 0) {
		close(fd);
		return error;
	}
	driver->ready_fd = fd;
	return 0;
}

int ready_wait(const struct driver *driver, uint64_t until)
{
	struct pollfd fds[] = { { .fd = driver->ready_fd, .events = POLLIN },
				{ .fd = driver->wake_fd, .events = POLLIN } };
	uint64_t now = driver_clock();
	uint64_t ns = until > now ? until - now : 0;
	struct timespec limit = {
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};

	return ppoll(fds, 2, until == ENGINE_NEVER ? NULL : &limit, NULL) < 0 ? -errno : 0;
}
