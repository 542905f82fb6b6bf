/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An fd for a foreign event loop, which is readable when there is something to do.
 *
 * io_uring's own fd does not work. Where completions wait for this thread to enter the kernel
 * (DEFER_TASKRUN), poll(2) on it does not wake up for them. A registered eventfd is signalled for
 * those, too. It is made only when the program asks for it or idles (idle.c), and signalled only
 * between steps, because signalling makes every completion slower.
 */
#include "driver/uring/uring.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/*
 * The most often that a step enters the kernel until nothing is left to do. If something is, the fd
 * stays readable.
 */
#define MOST_ROUNDS 4

/*
 * Turns signalling on. Events from before that are not signalled by the kernel, so this checks
 * for them.
 */
static void start_signalling(struct driver *driver, bool has_work_left)
{
	const struct engine *engine = driver->engine;
	bool is_timer_late = driver->timer_at > next_step(driver);

	if (driver->loop_fd < 0)
		return;
	driver->ready_waits = true;
	io_uring_cq_eventfd_toggle(&driver->uring->ring, true);
	/*
	 * The kernel reads the switch after it has set its flags, so the flags must be read after
	 * it.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (has_work_left || is_timer_late || io_uring_cq_ready(&driver->uring->ring) ||
	    enter_may_bring_more(driver) || engine_wants_write(engine) ||
	    engine_completed(engine) || engine_requests(engine))
		ready_signal(driver);
}

int uring_fd(struct driver *driver)
{
	int error = driver_try(driver);

	if (!error)
		error = ready_open(driver);
	if (error)
		return error;
	/* driver_wake() reads it in any thread. */
	__atomic_store_n(&driver->loop_fd, driver->ready_fd, __ATOMIC_RELEASE);
	start_signalling(driver, false);
	return driver->loop_fd;
}

/* Sets the timer to the next deadline, unless it goes off earlier. */
static void update_timer(struct driver *driver)
{
	uint64_t at = next_step(driver);
	bool update = driver->timer_at != ENGINE_NEVER;
	uint64_t tag = request_tag(REQUEST_TIMER, 0, 0);
	struct io_uring_sqe *sqe;

	/*
	 * The kernel may not have read .timer yet for the last entry. start_signalling() then sees
	 * that the timer is late.
	 */
	if (at >= driver->timer_at || !enter_has_taken(driver, driver->uring->timer_entry))
		return;
	sqe = enter_sqe(driver);
	driver->uring->timer_entry = driver->uring->ring.sq.sqe_tail;
	driver->timer_at = at;
	driver->uring->timer = (struct __kernel_timespec){
		.tv_sec = (long long)(at / 1000000000u),
		.tv_nsec = (long long)(at % 1000000000u),
	};
	driver->uring->pending++;
	if (update) {
		io_uring_prep_timeout_update(sqe, &driver->uring->timer, tag, IORING_TIMEOUT_ABS);
		io_uring_sqe_set_data64(sqe, request_tag(REQUEST_REST, 0, 0));
		return;
	}
	io_uring_prep_timeout(sqe, &driver->uring->timer, 0, IORING_TIMEOUT_ABS);
	io_uring_sqe_set_data64(sqe, tag);
}

int uring_arm(struct driver *driver)
{
	unsigned int rounds = 0;
	bool brought_some;
	int error;

	do {
		turn_fill(driver);
		update_timer(driver);
		error = enter_kernel(driver, 0, 0);
		brought_some = complete_all(driver);
	} while (!error && brought_some && ++rounds < MOST_ROUNDS);
	start_signalling(driver, brought_some);
	return error;
}
