/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of plain system calls: when it is chosen, full files, its descriptor, and its end. */
#include "library_fixture.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "by_thread.h"

#define VARIABLE "MADRING_DRIVER"

static const struct madring_agent_config whole_window = {
	.timeout_ms = MADRING_FOREVER,
	.window = 1024,
	.pin_window = true,
	.flow_window = 1024,
};

static void open_plain(struct fixture *fixture, uint32_t lanes)
{
	const struct madring_config config = {
		.driver = MADRING_DRIVER_PLAIN,
		.lanes = lanes,
	};

	fixture_open(fixture, &config, &whole_window);
}

static void expect_driver(struct madring *ring, enum madring_driver driver, int reason,
			  const char *text)
{
	struct madring_stats stats;

	madring_get_stats(ring, &stats);
	assert_int_equal(stats.driver, driver);
	assert_int_equal(stats.driver_reason, reason);
	assert_string_equal(madring_driver_text(ring), text);
	assert_int_equal(madring_close(ring), 0);
}

static void test_the_caller_or_the_environment_chooses(void **state)
{
	struct madring_config config = { .reads = 256 };
	struct madring *ring;

	assert_int_equal(setenv(VARIABLE, "plain", 1), 0);
	assert_int_equal(madring_open(&ring, &config), 0);
	expect_driver(ring, MADRING_DRIVER_PLAIN, 0, "plain system calls");
	config.driver = MADRING_DRIVER_URING;
	assert_int_equal(madring_open(&ring, &config), 0);
	expect_driver(ring, MADRING_DRIVER_URING, 0, "io_uring");
	assert_int_equal(setenv(VARIABLE, "uring", 1), 0);
	config.driver = MADRING_DRIVER_PLAIN;
	assert_int_equal(madring_open(&ring, &config), 0);
	expect_driver(ring, MADRING_DRIVER_PLAIN, 0, "plain system calls");
	config.driver = MADRING_DRIVER_AUTO;
	assert_int_equal(madring_open(&ring, &config), 0);
	expect_driver(ring, MADRING_DRIVER_URING, 0, "io_uring");
	assert_int_equal(setenv(VARIABLE, "auto", 1), 0);
	assert_int_equal(madring_open(&ring, &config), 0);
	expect_driver(ring, MADRING_DRIVER_URING, 0, "io_uring");
	assert_int_equal(setenv(VARIABLE, "fast", 1), 0);
	assert_int_equal(madring_open(&ring, &config), -EINVAL);
	assert_int_equal(unsetenv(VARIABLE), 0);
	config.driver = (enum madring_driver)3;
	assert_int_equal(madring_open(&ring, &config), -EINVAL);
}

static void test_plain_driver_replaces_forbidden_uring(void **state)
{
	static const struct {
		int error, reason;
		const char *text;
	} cases[] = {
		{ -ENOSYS, -ENOSYS, "plain system calls: this kernel has no io_uring" },
		{ -EPERM, -EPERM, "plain system calls: this process may not use io_uring" },
		{ -EACCES, -EPERM, "plain system calls: this process may not use io_uring" },
		{ -EINVAL, -EOPNOTSUPP, "plain system calls: this kernel's io_uring is too old" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct madring_config config = { .reads = 256 };
		struct madring *ring;

		by_thread_setup_fails = cases[i].error;
		assert_int_equal(madring_open(&ring, &config), 0);
		expect_driver(ring, MADRING_DRIVER_PLAIN, cases[i].reason, cases[i].text);
		config.driver = MADRING_DRIVER_URING;
		assert_int_equal(madring_open(&ring, &config), cases[i].reason);
		/* Only io_uring has a kernel thread that submits. */
		config.driver = MADRING_DRIVER_AUTO;
		config.sqpoll_idle_ms = 1;
		assert_int_equal(madring_open(&ring, &config), cases[i].reason);
		by_thread_setup_fails = 0;
	}
}

/* Linux from 6.14 counts the memory of io_uring's rings against the memory-lock limit. */
static void test_plain_driver_replaces_rings_over_memlock(void **state)
{
	struct madring_config config = { .reads = 256, .pin = MADRING_PIN_BEST_EFFORT };
	struct madring *ring;
	struct rlimit old, limit;

	assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &old), 0);
	limit = old;
	by_thread_setup_fails = -ENOMEM;
	if (old.rlim_cur == RLIM_INFINITY) {
		assert_int_equal(madring_open(&ring, &config), 0);
		expect_driver(ring, MADRING_DRIVER_PLAIN, -ENOMEM,
			      "plain system calls: there is too little memory for io_uring");
		limit.rlim_cur = (rlim_t)1 << 30;
	}
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	assert_int_equal(madring_open(&ring, &config), 0);
	expect_driver(ring, MADRING_DRIVER_PLAIN, -ENOBUFS,
		      "plain system calls: the memory-lock limit is too low for io_uring");
	config.driver = MADRING_DRIVER_URING;
	assert_int_equal(madring_open(&ring, &config), -ENOBUFS);
	by_thread_setup_fails = 0;
	assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &old), 0);
}

/* More files would help here, so the caller is told. */
static void test_plain_driver_does_not_hide_other_errors(void **state)
{
	static const int errors[] = { -EMFILE, -ENFILE };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct madring *ring;

		by_thread_setup_fails = errors[i];
		assert_int_equal(madring_open(&ring, NULL), errors[i]);
		by_thread_setup_fails = 0;
	}
}

/* Makes the lane's file take a few MADs only. */
static void make_small(unsigned int lane)
{
	int bytes = 1;

	assert_int_equal(
		setsockopt(fake_lane_fd(lane), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)), 0);
}

static void test_a_full_file_takes_the_rest_later(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_stats stats;
	struct fixture fixture;
	int taken;

	open_plain(&fixture, 1);
	make_small(0);
	fixture_send(&fixture, 1000, &outcomes);
	taken = madring_submit(fixture.ring);
	assert_in_range(taken, 1, 999);
	assert_int_equal(madring_run(fixture.ring, 1), 0);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 1000);
	assert_int_equal(outcomes.last_status, 0);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.sent, 1000);
	fixture_close(&fixture);
}

/* Opens a ring whose first file is full: most of 1000 requests on it wait. */
static void open_with_full_file(struct fixture *fixture, uint32_t lanes, struct outcomes *outcomes)
{
	open_plain(fixture, lanes);
	make_small(0);
	fixture_send(fixture, 1000, outcomes);
	assert_true(madring_submit(fixture->ring) > 0);
}

static void test_other_lanes_go_on(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fake_umad umad;
	struct fixture fixture;
	unsigned int answered = 0;

	open_with_full_file(&fixture, 2, &outcomes);
	while (fake_take_from(1, &umad)) {
		fake_answer(&umad);
		answered++;
	}
	assert_true(answered > 100);
	fixture_wait(&fixture, &outcomes, answered);
	assert_int_equal(outcomes.count, answered);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 1000);
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

static void test_event_loop_learns_that_a_file_is_writable(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_plain(&fixture, 1);
	make_small(0);
	assert_true(madring_fd(fixture.ring) >= 0);
	fixture_send(&fixture, 1000, &outcomes);
	assert_int_equal(madring_step(fixture.ring), 0);
	while (outcomes.count < 1000) {
		fake_answer_all();
		fixture_wait_readable(&fixture);
		assert_true(madring_step(fixture.ring) >= 0);
	}
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

static void test_waiting_writes_are_canceled(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_stats stats;
	struct fixture fixture;

	open_with_full_file(&fixture, 1, &outcomes);
	assert_int_equal(madring_agent_cancel(fixture.agent), 1000);
	fixture_drain(&fixture);
	assert_int_equal(outcomes.count, 1000);
	assert_int_equal(outcomes.last_status, -ECANCELED);
	/* The canceled requests are not written. */
	madring_get_stats(fixture.ring, &stats);
	assert_in_range(stats.sent, 1, 999);
	fixture_close(&fixture);
}

static void test_waiting_writes_end_with_their_device(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_with_full_file(&fixture, 1, &outcomes);
	fake_remove();
	fixture_drain(&fixture);
	assert_int_equal(outcomes.count, 1000);
	assert_int_equal(outcomes.last_status, -ENODEV);
	fixture_close(&fixture);
}

static void test_waiting_writes_end_with_their_ring(void **state)
{
	for (unsigned int way = 0; way < 3; way++) {
		struct outcomes outcomes = { 0 };
		struct fixture fixture;

		open_with_full_file(&fixture, 2, &outcomes);
		if (way == 1)
			assert_int_equal(madring_agent_close(fixture.agent), 0);
		if (way == 2)
			assert_int_equal(madring_port_close(fixture.port), 0);
		fixture_close(&fixture);
		assert_int_equal(outcomes.count, 1000);
		assert_int_equal(outcomes.last_status, -ECANCELED);
	}
}

/* Returns the line that finds something wrong in the child, or 0. */
static int use_in_child(struct fixture *fixture)
{
	if (madring_run(fixture->ring, 0) != -EREMOTE || madring_step(fixture->ring) != -EREMOTE ||
	    madring_fd(fixture->ring) != -EREMOTE || madring_port_close(fixture->port) != -EREMOTE)
		return __LINE__;
	return madring_close(fixture->ring) != 0 || fake_lanes() ? __LINE__ : 0;
}

/* The child shares the epoll descriptor, from which it must take nothing. */
static void test_a_child_leaves_the_event_loop_alone(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	int status;
	pid_t child;

	open_plain(&fixture, 2);
	assert_true(madring_fd(fixture.ring) >= 0);
	fixture_send(&fixture, 100, &outcomes);
	assert_int_equal(madring_step(fixture.ring), 0);
	child = fork();
	if (!child)
		_exit(use_in_child(&fixture) % 256);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	fake_answer_all();
	while (outcomes.count < 100) {
		fixture_wait_readable(&fixture);
		assert_true(madring_step(fixture.ring) >= 0);
	}
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

/* A descriptor that is readable though a step has nothing to do would keep a processor busy. */
static void test_the_fd_is_quiet_when_nothing_is_to_do(void **state)
{
	struct outcomes outcomes = { 0 };
	struct pollfd fd = { .events = POLLIN };
	struct fixture fixture;

	open_plain(&fixture, 2);
	fd.fd = madring_fd(fixture.ring);
	fixture_send(&fixture, 10, &outcomes);
	assert_int_equal(madring_step(fixture.ring), 0);
	assert_int_equal(poll(&fd, 1, 0), 0);
	fake_answer_all();
	assert_int_equal(poll(&fd, 1, 0), 1);
	assert_int_equal(madring_step(fixture.ring), 10);
	assert_int_equal(poll(&fd, 1, 0), 0);
	assert_int_equal(madring_wake(fixture.ring), 0);
	assert_int_equal(poll(&fd, 1, 0), 1);
	assert_int_equal(madring_step(fixture.ring), 0);
	assert_int_equal(poll(&fd, 1, 0), 0);
	fake_remove();
	assert_int_equal(poll(&fd, 1, 0), 1);
	assert_int_equal(madring_step(fixture.ring), 0);
	assert_int_equal(poll(&fd, 1, 0), 0);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_caller_or_the_environment_chooses),
		cmocka_unit_test(test_plain_driver_replaces_forbidden_uring),
		cmocka_unit_test(test_plain_driver_replaces_rings_over_memlock),
		cmocka_unit_test(test_plain_driver_does_not_hide_other_errors),
		cmocka_unit_test(test_a_full_file_takes_the_rest_later),
		cmocka_unit_test(test_other_lanes_go_on),
		cmocka_unit_test(test_event_loop_learns_that_a_file_is_writable),
		cmocka_unit_test(test_waiting_writes_are_canceled),
		cmocka_unit_test(test_waiting_writes_end_with_their_device),
		cmocka_unit_test(test_waiting_writes_end_with_their_ring),
		cmocka_unit_test(test_a_child_leaves_the_event_loop_alone),
		cmocka_unit_test(test_the_fd_is_quiet_when_nothing_is_to_do),
	};

	unsetenv(VARIABLE);
	return cmocka_run_group_tests_name("plain", tests, NULL, NULL);
}
