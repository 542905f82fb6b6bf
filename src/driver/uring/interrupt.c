/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells why an io_uring_enter(2) has returned early.
 *
 * io_uring_enter(2) returns EINTR for each signal that wakes its thread. poll(2) goes on when no
 * handler is called: after SIGSTOP and SIGCONT, or when a debugger attaches. The program is to see
 * the same with both drivers, so this looks whether it has a handler at all.
 *
 * Entries may also fail with EAGAIN, EBUSY or EINTR for as long as the kernel has no memory, or
 * because a filter of system calls makes them. They are repeated, but not for ever.
 */
#include "driver/uring/uring.h"

#include <signal.h>
#include <time.h>

/*
 * How long entries may fail before that is an error, and the pause after each. After a gap without
 * any entry the time begins anew.
 */
#define REFUSED_NS UINT64_C(5000000000)
#define GAP_NS	   UINT64_C(1000000000)
#define PAUSE_NS   1000000

/* Tells whether a signal comes from the program's own instructions, and interrupts no wait. */
static bool is_fault(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGTRAP || number == SIGABRT || number == SIGSYS;
}

bool interrupt_has_handler(void)
{
	struct sigaction action;
	sigset_t blocked;

	if (pthread_sigmask(SIG_SETMASK, NULL, &blocked))
		return true;
	for (int number = 1; number <= SIGRTMAX; number++) {
		/* It fails for the signals that the C library keeps for itself. */
		if (is_fault(number) || sigaction(number, NULL, &action))
			continue;
		if (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN &&
		    !sigismember(&blocked, number))
			return true;
	}
	return false;
}

bool interrupt_is_real(struct driver *driver)
{
	/* An entry that does not wait cannot be interrupted. */
	return enter_ring(driver, 0, 0, IORING_ENTER_GETEVENTS, 0) != -EINTR;
}

int refusal_note(struct driver *driver)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct uring *uring = driver->uring;
	uint64_t now = driver_clock();

	/* If there are completions, to collect them may be all that the kernel waits for. */
	if (!uring->refused_since || now - uring->refused_at >= GAP_NS)
		uring->refused_since = now;
	else if (!io_uring_cq_ready(&uring->ring))
		nanosleep(&pause, NULL);
	uring->refused_at = now;
	return now - uring->refused_since < REFUSED_NS ? 0 : -EIO;
}
