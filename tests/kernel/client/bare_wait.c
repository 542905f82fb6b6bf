/* SPDX-License-Identifier: BSD-2-Clause */
/* Waits in io_uring_enter(2) for a read that never ends, which the kernel counts as iowait. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include <liburing.h>

int main(void)
{
	struct io_uring ring;
	struct io_uring_cqe *cqe;
	struct io_uring_sqe *sqe;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int error = io_uring_queue_init(4, &ring, 0);
	uint64_t count;

	if (fd < 0 || error) {
		fprintf(stderr, "bare-wait: %s\n", fd < 0 ? "eventfd" : strerror(-error));
		return EXIT_FAILURE;
	}
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_read(sqe, fd, &count, sizeof(count), 0);
	io_uring_submit(&ring);
	puts("waiting");
	fflush(stdout);
	error = io_uring_wait_cqe(&ring, &cqe);
	fprintf(stderr, "bare-wait: the wait has ended: %d\n", error);
	return EXIT_FAILURE;
}
