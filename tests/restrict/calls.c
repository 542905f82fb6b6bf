/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes system calls whose arguments are wrong, and prints the name and the errno of each. None of
 * them changes anything.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/io_uring.h>

/* Numbers that older headers lack. They are the same on all processors. */
#ifndef __NR_epoll_pwait2
#define __NR_epoll_pwait2 441
#endif
#ifndef __NR_futex_waitv
#define __NR_futex_waitv 449
#endif

#define NO_FD (-2L) /* io_uring_register(2) takes -1 for something else */

#define CALL(name) { #name, __NR_##name, -1 }

static const struct {
	const char *name;
	long number;
	long second; /* the second argument; the first is NO_FD, and the others are -1 */
} calls[] = {
	CALL(clone3),
	CALL(close_range),
	CALL(epoll_pwait2),
	CALL(faccessat2),
	CALL(futex_waitv),
	CALL(openat2),
	CALL(pidfd_open),
	CALL(pidfd_send_signal),
	{ "io_uring_setup", __NR_io_uring_setup, 0 },
	CALL(io_uring_enter),
	{ "io_uring_register", __NR_io_uring_register, IORING_UNREGISTER_EVENTFD },
	/* Linux 4.18 has these. */
	CALL(epoll_create1),
	CALL(eventfd2),
	CALL(io_pgetevents),
	CALL(ppoll),
	CALL(read),
	CALL(rseq),
	CALL(statx),
	CALL(timerfd_create),
	CALL(write),
};

int main(void)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		long result = syscall(calls[i].number, NO_FD, calls[i].second, -1L, -1L, -1L, -1L);

		if (result >= 0) {
			fprintf(stderr, "%s has not failed\n", calls[i].name);
			return EXIT_FAILURE;
		}
		printf("%s %d\n", calls[i].name, errno);
	}
	return EXIT_SUCCESS;
}
