/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring looks for replies before it sleeps. The clock is the test's: it goes on by 1 us each time
 * that it is read, and by a sleep's length. A reply comes while the ring looks, or while it sleeps.
 */
#include "by_thread.h"
#include "library_fixture.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <string.h>

#include "api/handles.h"
#include "driver/driver.h"
#include "driver/spin.h"

#define US     UINT64_C(1000)
#define ROUNDS 100u

static struct {
	uint64_t now;
	bool answers_looks;	 /* requests are answered while the ring looks; or else in sleeps */
	unsigned int sleeps;	 /* system calls that wait */
	unsigned int processors; /* 0: those that there are */
	uint64_t sleep_ns;
} world;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker has these names */
uint64_t __wrap_driver_clock(void);
unsigned int __real_spin_processors(void);
unsigned int __wrap_spin_processors(void);
int __real_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *sig, size_t bytes);
int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *sig, size_t bytes);
int __real_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *signals);
int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *signals);
int __wrap___ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		       const sigset_t *signals, size_t room);

uint64_t __wrap_driver_clock(void)
{
	world.now += US;
	if (world.answers_looks)
		fake_answer_all();
	return world.now;
}

unsigned int __wrap_spin_processors(void)
{
	return world.processors ? world.processors : __real_spin_processors();
}

static void fall_asleep(void)
{
	world.sleeps++;
	world.now += world.sleep_ns;
	fake_answer_all();
}

int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *sig, size_t bytes)
{
	if (wait) {
		/* The MADs that this system call writes must be there to be answered. */
		int result = submit ? __real_io_uring_enter2(fd, submit, 0, flags, sig, bytes) : 0;

		if (result < 0)
			return result;
		fall_asleep();
	}
	return __real_io_uring_enter2(fd, wait ? 0 : submit, wait, flags, sig, bytes);
}

int __wrap_ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		 const sigset_t *signals)
{
	if (!limit || limit->tv_sec || limit->tv_nsec)
		fall_asleep();
	return __real_ppoll(fds, count, limit, signals);
}

int __wrap___ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *limit,
		       const sigset_t *signals, size_t room)
{
	return __wrap_ppoll(fds, count, limit, signals);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void open_ring(struct fixture *fixture, uint32_t spin_us, unsigned int processors)
{
	const struct madring_config config = { .spin_us = spin_us };
	const struct madring_agent_config agent = {
		.timeout_ms = MADRING_FOREVER,
		.window = 512,
		.pin_window = true,
	};

	memset(&world, 0, sizeof(world));
	world.processors = processors;
	fixture_open(fixture, &config, &agent);
}

/* Has requests answered one after the other. Returns how often the ring has slept. */
static unsigned int play_rounds(struct fixture *fixture, unsigned int rounds, bool answers_looks)
{
	unsigned int before = world.sleeps;
	struct outcomes outcomes = { 0 };

	world.answers_looks = answers_looks;
	world.sleep_ns = 1000 * US;
	for (unsigned int i = 1; i <= rounds; i++) {
		fixture_send(fixture, 1, &outcomes);
		while (outcomes.count < i)
			assert_true(madring_run(fixture->ring, -1) >= 0);
	}
	assert_int_equal(outcomes.last_status, 0);
	world.answers_looks = false;
	return world.sleeps - before;
}

static struct madring_stats ring_stats(const struct fixture *fixture)
{
	struct madring_stats stats;

	madring_get_stats(fixture->ring, &stats);
	return stats;
}

static void expect_no_look(struct fixture *fixture)
{
	struct madring_stats stats = ring_stats(fixture);

	assert_int_equal(stats.spin_hits, 0);
	assert_int_equal(stats.spin_misses, 0);
	assert_int_equal(stats.spin_ns, 0);
}

static void test_replies_that_come_soon_need_no_sleep(void **state)
{
	struct fixture fixture;
	struct madring_stats stats;

	open_ring(&fixture, 0, 2);
	assert_int_equal(play_rounds(&fixture, ROUNDS, true), 0);
	stats = ring_stats(&fixture);
	assert_int_equal(stats.spin_misses, 0);
	assert_in_range(stats.spin_hits, 1, ROUNDS);
	assert_in_range(stats.spin_ns, 1, 50 * US * ROUNDS);
	fixture_close(&fixture);
}

static void test_ring_sleeps_for_late_replies(void **state)
{
	struct fixture fixture;
	struct madring_stats stats;

	open_ring(&fixture, 0, 2);
	assert_true(play_rounds(&fixture, ROUNDS, false) >= ROUNDS);
	stats = ring_stats(&fixture);
	assert_int_equal(stats.spin_hits, 0);
	assert_in_range(stats.spin_misses, 1, 5);
	assert_true(stats.spin_ns <= 5 * 55 * US);
	fixture_close(&fixture);
}

/* It finds out by trials that they come soon, from some time on. */
static void test_trials_find_that_replies_come_soon(void **state)
{
	struct fixture fixture;
	unsigned int sleeps;

	open_ring(&fixture, 0, 2);
	play_rounds(&fixture, ROUNDS, false);
	sleeps = play_rounds(&fixture, 10 * ROUNDS, true);
	assert_in_range(sleeps, 0, 2 * ROUNDS);
	assert_int_equal(play_rounds(&fixture, ROUNDS, true), 0);
	fixture_close(&fixture);
}

static void test_spin_never_disables_looking(void **state)
{
	struct fixture fixture;

	open_ring(&fixture, MADRING_NO_SPIN, 2);
	play_rounds(&fixture, ROUNDS, false);
	expect_no_look(&fixture);
	fixture_close(&fixture);
}

static void test_spin_always_enables_looking(void **state)
{
	struct fixture fixture;

	open_ring(&fixture, 20, 1);
	assert_true(play_rounds(&fixture, ROUNDS, false) >= ROUNDS);
	assert_true(ring_stats(&fixture).spin_misses >= ROUNDS);
	assert_int_equal(play_rounds(&fixture, ROUNDS, true), 0);
	fixture_close(&fixture);
}

static void test_ring_on_one_processor_does_not_look(void **state)
{
	struct fixture fixture;

	open_ring(&fixture, 0, 1);
	play_rounds(&fixture, ROUNDS, false);
	expect_no_look(&fixture);
	fixture_close(&fixture);
}

/* With many in flight, a ring waits for some of them at once. */
static void test_many_in_flight(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_ring(&fixture, 20, 2);
	fixture_send(&fixture, SPIN_IN_FLIGHT, &outcomes);
	assert_true(madring_run(fixture.ring, -1) >= 0);
	expect_no_look(&fixture);
	fixture_drain(&fixture);
	fixture_close(&fixture);
}

static void ignore_request(const struct madring_received *received)
{
}

/* Nothing is in flight; a request may come, but nobody knows when. */
static void test_an_idle_ring(void **state)
{
	const struct madring_config config = { .spin_us = 20 };
	const struct madring_agent_config agent = {
		.mgmt_class = 0x09,
		.class_version = 1,
		.receive = ignore_request,
		.method_mask = { 1u << MADRING_GET },
	};
	struct fixture fixture;

	memset(&world, 0, sizeof(world));
	fixture_open(&fixture, &config, &agent);
	world.sleep_ns = 1000000 * US;
	assert_int_equal(madring_run(fixture.ring, 1), 0);
	assert_true(world.sleeps > 0);
	expect_no_look(&fixture);
	fixture_close(&fixture);
}

/* An event loop waits for the ring's descriptor: no time of its own must pass in the ring. */
static void test_an_event_loop(void **state)
{
	struct fixture fixture;

	open_ring(&fixture, 20, 2);
	assert_true(madring_fd(fixture.ring) >= 0);
	play_rounds(&fixture, ROUNDS, false);
	expect_no_look(&fixture);
	fixture_close(&fixture);
}

static void test_the_longest_time(void **state)
{
	const struct madring_config longest = { .spin_us = MADRING_MAX_SPIN_US };
	const struct madring_config too_long = { .spin_us = MADRING_MAX_SPIN_US + 1 };
	struct madring *ring;

	assert_int_equal(madring_open(&ring, &too_long), -EINVAL);
	assert_int_equal(madring_open(&ring, &longest), 0);
	assert_int_equal(madring_close(ring), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replies_that_come_soon_need_no_sleep),
		cmocka_unit_test(test_ring_sleeps_for_late_replies),
		cmocka_unit_test(test_trials_find_that_replies_come_soon),
		cmocka_unit_test(test_spin_never_disables_looking),
		cmocka_unit_test(test_spin_always_enables_looking),
		cmocka_unit_test(test_ring_on_one_processor_does_not_look),
		cmocka_unit_test(test_many_in_flight),
		cmocka_unit_test(test_an_idle_ring),
		cmocka_unit_test(test_an_event_loop),
		cmocka_unit_test(test_the_longest_time),
	};

	/* A thread of the kernel's takes requests in its own time, and the clock is the test's. */
	if (by_thread())
		return 77;
	return cmocka_run_group_tests_name("looking", tests, NULL, NULL);
}
