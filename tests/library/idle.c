/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring on which nothing arrives does not wait as if for a disk: by a flag of io_uring_enter(2)
 * where the kernel has it, or else in poll(2). Both are wrapped here, and the rings are told what
 * kernel they are on.
 */
#include "library_fixture.h"

#include <errno.h>
#include <signal.h>
#include <liburing.h>
#include <string.h>
#include <sys/resource.h>

#include "api/handles.h"
#include "driver/uring/uring.h"

#define NO_IOWAIT	  (1u << 7)
#define FEATURE_NO_IOWAIT (1u << 17)
#define BUSY_NS		  10000000u /* the longest wait in io_uring_enter(2) */

/* Counts how a ring has waited since reset(). */
static struct {
	unsigned int plain_waits; /* in io_uring_enter(2), as if for a disk */
	unsigned int other_waits; /* there with the flag */
	unsigned int polls;
	uint64_t longest_ns; /* of the plain waits; UINT64_MAX: without end */
	/* Called before each poll; false makes it end as a signal does. */
	bool (*during_poll)(struct fixture *fixture);
	struct fixture *fixture;
} seen;

static bool kernel_has_flag;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker has these names */
int __real_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *sig, size_t bytes);
int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *sig, size_t bytes);
int __real_ready_wait(const struct driver *driver, uint64_t until);
int __wrap_ready_wait(const struct driver *driver, uint64_t until);

static uint64_t limit_of(const struct io_uring_getevents_arg *arg)
{
	const struct __kernel_timespec *limit = (const void *)(uintptr_t)arg->ts;

	if (!limit)
		return UINT64_MAX;
	return (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec;
}

int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *sig, size_t bytes)
{
	uint64_t limit_ns = limit_of((const void *)sig);

	if (wait && limit_ns && flags & NO_IOWAIT)
		seen.other_waits++;
	if (wait && limit_ns && !(flags & NO_IOWAIT)) {
		seen.plain_waits++;
		if (limit_ns > seen.longest_ns)
			seen.longest_ns = limit_ns;
	}
	if (!kernel_has_flag)
		flags &= ~NO_IOWAIT;
	return __real_io_uring_enter2(fd, submit, wait, flags, sig, bytes);
}

int __wrap_ready_wait(const struct driver *driver, uint64_t until)
{
	seen.polls++;
	if (seen.during_poll && !seen.during_poll(seen.fixture))
		return -EINTR;
	return __real_ready_wait(driver, until);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void reset(void)
{
	memset(&seen, 0, sizeof(seen));
}

static void set_feature(struct fixture *fixture, bool has_flag)
{
	unsigned int *features = &fixture->ring->driver->uring->ring.features;

	kernel_has_flag = *features & FEATURE_NO_IOWAIT;
	*features &= ~FEATURE_NO_IOWAIT;
	if (has_flag)
		*features |= FEATURE_NO_IOWAIT;
}

static void open_with(struct fixture *fixture, bool has_flag,
		      const struct madring_agent_config *config)
{
	fixture_open(fixture, NULL, config);
	set_feature(fixture, has_flag);
	reset();
	seen.fixture = fixture;
}

/* Runs a ring on which nothing arrives until it has waited in the way that @waits counts. */
static void run_until(struct fixture *fixture, const unsigned int *waits)
{
	while (!*waits)
		assert_int_equal(madring_run(fixture->ring, 30), 0);
}

/* Opens a ring on an older kernel, with a request that is not answered, and lets it be idle. */
static void open_idle(struct fixture *fixture, struct outcomes *outcomes)
{
	open_with(fixture, false, &fixture_patient);
	fixture_send(fixture, 1, outcomes);
	run_until(fixture, &seen.polls);
	reset();
	seen.fixture = fixture;
}

static void test_a_kernel_with_the_flag(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_with(&fixture, true, &fixture_patient);
	fixture_send(&fixture, 1, &outcomes);
	run_until(&fixture, &seen.other_waits);
	assert_int_equal(seen.plain_waits, 0);
	assert_int_equal(seen.polls, 0);
	fixture_finish(&fixture);
	fixture_close(&fixture);
}

static void test_an_older_kernel(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_with(&fixture, false, &fixture_patient);
	fixture_send(&fixture, 1, &outcomes);
	run_until(&fixture, &seen.polls);
	assert_true(seen.plain_waits > 0);
	assert_true(seen.longest_ns <= BUSY_NS);
	assert_int_equal(seen.other_waits, 0);
	/* It is still idle in the next call. */
	reset();
	run_until(&fixture, &seen.polls);
	assert_int_equal(seen.plain_waits, 0);
	fixture_finish(&fixture);
	fixture_close(&fixture);
}

static bool answer(struct fixture *fixture)
{
	fake_answer_all();
	return true;
}

static void test_a_reply_ends_the_sleep(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_idle(&fixture, &outcomes);
	seen.during_poll = answer;
	assert_int_equal(madring_run(fixture.ring, -1), 1);
	assert_int_equal(outcomes.count, 1);
	assert_int_equal(outcomes.last_status, 0);
	assert_int_equal(seen.plain_waits, 0);
	/* It is idle no more. */
	seen.during_poll = NULL;
	fixture_send(&fixture, 1, &outcomes);
	run_until(&fixture, &seen.plain_waits);
	fixture_finish(&fixture);
	fixture_close(&fixture);
}

static bool wake(struct fixture *fixture)
{
	assert_int_equal(madring_wake(fixture->ring), 0);
	return true;
}

static void test_waking_ends_the_sleep(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_idle(&fixture, &outcomes);
	seen.during_poll = wake;
	assert_int_equal(madring_run(fixture.ring, -1), 0);
	assert_int_equal(outcomes.count, 0);
	fixture_finish(&fixture);
	fixture_close(&fixture);
}

static bool interrupt(struct fixture *fixture)
{
	return false;
}

static void on_signal(int number)
{
}

/* Without a handler poll(2) would go on, and so would the wait. */
static void test_a_signal_ends_the_sleep(void **state)
{
	const struct sigaction handled = { .sa_handler = on_signal };
	struct outcomes outcomes = { 0 };
	struct sigaction before;
	struct fixture fixture;

	assert_int_equal(sigaction(SIGUSR1, &handled, &before), 0);
	open_idle(&fixture, &outcomes);
	seen.during_poll = interrupt;
	assert_int_equal(madring_run(fixture.ring, -1), -EINTR);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
	seen.during_poll = NULL;
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 1);
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

static void test_timers_end_the_sleep(void **state)
{
	const struct madring_agent_config config = { .timeout_ms = 40, .retries = 1 };
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_with(&fixture, false, &config);
	while (!seen.polls) {
		fixture_send(&fixture, 1, &outcomes);
		fixture_drain(&fixture);
		assert_int_equal(outcomes.last_status, -ETIMEDOUT);
		assert_int_equal(outcomes.last_attempts, 2);
	}
	fixture_close(&fixture);
}

static void test_a_removal_ends_the_sleep(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_idle(&fixture, &outcomes);
	fake_remove();
	while (!outcomes.count)
		assert_true(madring_run(fixture.ring, -1) >= 0);
	assert_int_equal(outcomes.last_status, -ENODEV);
	fixture_close(&fixture);
}

/* The fd is made before the program is idle, or after. The sleep may have taken its signal. */
static void test_a_foreign_event_loop(void **state)
{
	for (unsigned int way = 0; way < 2; way++) {
		struct outcomes outcomes = { 0 };
		struct fixture fixture;

		open_with(&fixture, false, &fixture_patient);
		if (way)
			assert_true(madring_fd(fixture.ring) >= 0);
		fixture_send(&fixture, 1, &outcomes);
		assert_true(madring_step(fixture.ring) >= 0);
		run_until(&fixture, &seen.polls);
		if (way)
			fixture_wait_readable(&fixture);
		else
			assert_true(madring_fd(fixture.ring) >= 0);
		assert_true(madring_step(fixture.ring) >= 0);
		assert_int_equal(fake_answer_all(), 1);
		while (!outcomes.count) {
			fixture_wait_readable(&fixture);
			assert_true(madring_step(fixture.ring) >= 0);
		}
		assert_int_equal(outcomes.last_status, 0);
		fixture_close(&fixture);
	}
}

static void test_ring_without_second_descriptor_still_waits(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct rlimit before, none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	open_with(&fixture, false, &fixture_patient);
	fixture_send(&fixture, 1, &outcomes);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	while (seen.longest_ns <= BUSY_NS)
		assert_int_equal(madring_run(fixture.ring, 30), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(seen.polls, 0);
	fixture_finish(&fixture);
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_a_kernel_with_the_flag),
	cmocka_unit_test(test_an_older_kernel),
	cmocka_unit_test(test_a_reply_ends_the_sleep),
	cmocka_unit_test(test_waking_ends_the_sleep),
	cmocka_unit_test(test_a_signal_ends_the_sleep),
	cmocka_unit_test(test_timers_end_the_sleep),
	cmocka_unit_test(test_a_removal_ends_the_sleep),
	cmocka_unit_test(test_a_foreign_event_loop),
	cmocka_unit_test(test_ring_without_second_descriptor_still_waits),
};

TEST_MAIN(tests, NULL, NULL)
