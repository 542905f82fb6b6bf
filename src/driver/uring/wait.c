/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wait of a turn. It may look for completions for a short time before it sleeps (spin.h says
 * when), and it is measured.
 */
#include "driver/uring/uring.h"

/*
 * So many writes are submitted by the system call that sleeps. More are submitted by one of their
 * own, because the time that they take must not count as waiting.
 */
#define FEW_WRITES 8u

static bool has_completions(const struct driver *driver, unsigned int count)
{
	return io_uring_cq_ready(&driver->uring->ring) >= count;
}

/*
 * Looks for @count completions from @now on, for @ns ns. Returns the time at which it has given
 * up, or 0 if they are there.
 */
static uint64_t look_for(struct driver *driver, unsigned int count, uint64_t now, uint64_t ns)
{
	const uint64_t begin = now;

	while (now - begin < ns) {
		/* If this fails for good, so does the system call that sleeps. */
		if (enter_may_bring_more(driver))
			enter_kernel(driver, 0, 0);
		if (has_completions(driver, count))
			return 0;
		spin_relax();
		now = driver_clock();
	}
	spin_missed(&driver->spin, now - begin);
	return now;
}

/* Returns what is left of a wait of @wait_ns that has begun at driver.filled_at. */
static uint64_t rest_of_wait(const struct driver *driver, uint64_t wait_ns, uint64_t now)
{
	uint64_t passed = now - driver->filled_at;

	if (wait_ns == ENGINE_NEVER)
		return wait_ns;
	return passed < wait_ns ? wait_ns - passed : 0;
}

int wait_for(struct driver *driver, unsigned int writes, unsigned int count, uint64_t wait_ns)
{
	struct uring *uring = driver->uring;
	uint64_t look_ns = time_to_look(driver, wait_ns);
	uint64_t now;
	int error;

	uring->waits_since = wait_ns ? driver->filled_at : 0;
	uring->slept = wait_ns;
	if (!wait_ns || (!look_ns && writes <= FEW_WRITES))
		return enter_kernel(driver, count, wait_ns);
	uring->waits_since = 0;
	error = enter_kernel(driver, 0, 0);
	if (error || has_completions(driver, count))
		return error;
	uring->waits_since = driver_clock();
	uring->slept = false;
	now = look_ns ? look_for(driver, count, uring->waits_since, look_ns) : uring->waits_since;
	if (!now)
		return 0;
	uring->slept = true;
	return enter_kernel(driver, count, rest_of_wait(driver, wait_ns, now));
}

void wait_end(struct driver *driver)
{
	const struct uring *uring = driver->uring;

	if (uring->waits_since)
		record_wait(driver, uring->peeked_at - uring->waits_since, uring->slept);
}
