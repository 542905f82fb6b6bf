/* SPDX-License-Identifier: BSD-2-Clause */
/* Does what madring must never do: has io_uring do a request by a worker thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liburing.h>

int main(void)
{
	struct io_uring ring;
	struct io_uring_sqe *sqe;
	struct io_uring_cqe *cqe;
	int error = io_uring_queue_init(4, &ring, 0);

	if (error) {
		fprintf(stderr, "worker: io_uring: %s\n", strerror(-error));
		return EXIT_FAILURE;
	}
	sqe = io_uring_get_sqe(&ring);
	io_uring_prep_nop(sqe);
	io_uring_sqe_set_flags(sqe, IOSQE_ASYNC);
	io_uring_submit_and_wait(&ring, 1);
	io_uring_peek_cqe(&ring, &cqe);
	io_uring_cqe_seen(&ring, cqe);
	io_uring_queue_exit(&ring);
	return EXIT_SUCCESS;
}
