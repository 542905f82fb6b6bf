/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loop/epoll_wait_ns.h"

/* The number is the same on all processors. C libraries from before Linux 5.11 lack it. */
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif

static bool is_missing; /* the kernel has no epoll_pwait2() */

static int poll_and_wait(int fd, struct epoll_event *events, int room,
			 const struct timespec *timeout)
{
	struct pollfd poll = { .fd = fd, .events = POLLIN };
	int count = ppoll(&poll, 1, timeout, NULL);

	return count > 0 ? epoll_wait(fd, events, room, 0) : count;
}

int epoll_wait_ns(int fd, struct epoll_event *events, int room, const struct timespec *timeout)
{
	long count;

	if (is_missing)
		return poll_and_wait(fd, events, room, timeout);
	count = syscall(SYS_epoll_pwait2, fd, events, room, timeout, NULL, 0);
	if (count >= 0 || errno != ENOSYS)
		return (int)count;
	is_missing = true;
	return poll_and_wait(fd, events, room, timeout);
}
