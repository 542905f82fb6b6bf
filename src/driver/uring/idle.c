/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting that the kernel does not count as waiting for a disk.
 *
 * A thread that waits in io_uring_enter(2) while requests are under way counts as "iowait", and
 * reads on the lanes always are. An idle program would make a processor look busy with a disk,
 * and the system's load look high. Since Linux 6.15 a flag prevents that. With an older kernel an
 * idle program waits in poll(2).
 */
#include "driver/uring/uring.h"

#include <stdatomic.h>
#include <unistd.h>

/* liburing has these names since version 2.10. */
#ifndef IORING_ENTER_NO_IOWAIT
#define IORING_ENTER_NO_IOWAIT (1u << 7)
#endif
#ifndef IORING_FEAT_NO_IOWAIT
#define IORING_FEAT_NO_IOWAIT (1u << 17)
#endif

/*
 * A program is idle when it has waited this long without a MAD. Until then it waits in
 * io_uring_enter(2), because poll(2) and its signal cost more system calls for each MAD.
 */
#define IDLE_NS 10000000u

/* Returns how long the program still has to wait for a MAD before it is idle, in ns. */
static uint64_t time_to_idle(struct driver *driver)
{
	if (driver->arrived != driver->uring->idle_arrived)
		driver->uring->idle_ns = 0;
	driver->uring->idle_arrived = driver->arrived;
	return driver->uring->idle_ns < IDLE_NS ? IDLE_NS - driver->uring->idle_ns : 0;
}

/*
 * Sleeps until the kernel has signalled a completion, or until the time is up. It does not sleep
 * if @count completions are there, or others can be had. Returns 0 or a negative errno.
 */
static int sleep_on_signal(struct driver *driver, unsigned int count, uint64_t until)
{
	uint64_t signals;
	int error = 0;

	io_uring_cq_eventfd_toggle(&driver->uring->ring, true);
	/*
	 * The kernel reads the switch after it has set its flags, so the flags must be read after
	 * it.
	 */
	atomic_thread_fence(memory_order_seq_cst);
	if (io_uring_cq_ready(&driver->uring->ring) < count && !enter_may_bring_more(driver))
		error = ready_wait(driver, until);
	io_uring_cq_eventfd_toggle(&driver->uring->ring, driver->ready_waits);
	/* If there is nothing to read, nothing was signalled. */
	if (read(driver->ready_fd, &signals, sizeof(signals)) < 0)
		return error;
	return error;
}

/*
 * Sleeps until @count completions are there or the time is up. Entering the kernel afterwards
 * posts those that wait for this thread. Returns 0 or a negative errno.
 */
static int sleep_idle(struct driver *driver, unsigned int count, unsigned int flags, uint64_t until)
{
	int error = 0;

	while (!error && io_uring_cq_ready(&driver->uring->ring) < count &&
	       driver_clock() < until) {
		error = sleep_on_signal(driver, count, until);
		if (!error)
			error = enter_ring(driver, 0, 0, flags | IORING_ENTER_GETEVENTS, 0);
	}
	/* This may have taken a signal that was for a foreign event loop. */
	if (driver->ready_waits)
		ready_signal(driver);
	return error;
}

int idle_wait(struct driver *driver, unsigned int submit, unsigned int count, unsigned int flags,
	      uint64_t wait_ns)
{
	uint64_t start, waited, busy_ns;
	int result;

	if (driver->uring->ring.features & IORING_FEAT_NO_IOWAIT)
		return enter_ring(driver, submit, count, flags | IORING_ENTER_NO_IOWAIT, wait_ns);
	busy_ns = time_to_idle(driver);
	if (wait_ns <= busy_ns || ready_open(driver))
		busy_ns = wait_ns;
	start = driver_clock();
	result = enter_ring(driver, submit, busy_ns ? count : 0, flags, busy_ns);
	waited = driver_clock() - start;
	driver->uring->idle_ns += waited < IDLE_NS ? waited : IDLE_NS;
	if ((result < 0 && result != -ETIME) || busy_ns == wait_ns || waited < busy_ns)
		return result;
	return sleep_idle(driver, count, flags,
			  wait_ns == ENGINE_NEVER ? ENGINE_NEVER : start + wait_ns);
}
