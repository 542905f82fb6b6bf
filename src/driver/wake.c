/* SPDX-License-Identifier: BSD-2-Clause */
/* Wakes the program: in a turn, or in its event loop. */
#include <unistd.h>

#include "driver/driver_state.h"

void ready_signal(const struct driver *driver)
{
	uint64_t one = 1;

	/* write(2) can only fail if the fd is readable already. */
	if (driver->ready_fd >= 0 && write(driver->ready_fd, &one, sizeof(one)) < 0)
		return;
}

void driver_ready_update(const struct driver *driver)
{
	if (driver->ready_waits && engine_completed(driver->engine))
		ready_signal(driver);
}

void driver_ready_signal(const struct driver *driver)
{
	if (driver->ready_waits)
		ready_signal(driver);
}

int driver_wake(const struct driver *driver)
{
	uint64_t one = 1;

	/* A full counter means a wake-up that was not taken yet: nothing is lost. */
	if (write(driver->wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		return -errno;
	/*
	 * Linux 6.12 to 6.18 signals io_uring's eventfd only once for completions that another
	 * eventfd brings. So this signals it, too, if it is the fd of an event loop.
	 */
	if (!driver->plain && __atomic_load_n(&driver->loop_fd, __ATOMIC_ACQUIRE) >= 0)
		ready_signal(driver);
	return 0;
}

bool driver_was_woken(struct driver *driver)
{
	bool woken = driver->woken;

	driver->woken = false;
	return woken;
}
