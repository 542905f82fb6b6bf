/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits for events as epoll_wait(2) does, with a timeout in nanoseconds. */
#ifndef MADRING_SIM_LOOP_EPOLL_WAIT_NS_H
#define MADRING_SIM_LOOP_EPOLL_WAIT_NS_H

#include <sys/epoll.h>
#include <time.h>

/*
 * `epoll_wait_ns` waits by epoll_pwait2(2), or by ppoll(2) and epoll_wait(2) on Linux before 5.11.
 * @timeout: NULL for no limit. Returns the number of events, or -1 with errno set.
 */
int epoll_wait_ns(int fd, struct epoll_event *events, int room, const struct timespec *timeout);

#endif
