/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring that cannot enter the kernel: for ever, or in a child of fork(2). */
#include "by_thread.h"
#include "library_fixture.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/handles.h"
#include "driver/uring/uring.h"

/*
 * The state of failing entries: if .error is set, the next .after entries into the kernel work, and
 * all others fail with it.
 */
static struct {
	int error;
	unsigned int after;
	uint64_t skew_ns; /* of the clock: each failure takes some time */
} failing;

static bool entry_fails(void)
{
	if (!failing.error)
		return false;
	if (failing.after) {
		failing.after--;
		return false;
	}
	failing.skew_ns += 50000000;
	return true;
}

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker has these names */
int __real_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *sig, size_t bytes);
int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *sig, size_t bytes);
uint64_t __real_driver_clock(void);
uint64_t __wrap_driver_clock(void);

uint64_t __wrap_driver_clock(void)
{
	return __real_driver_clock() + failing.skew_ns;
}

int __real_io_uring_submit_and_get_events(struct io_uring *uring);
int __wrap_io_uring_submit_and_get_events(struct io_uring *uring);

int __wrap_io_uring_enter2(unsigned int fd, unsigned int submit, unsigned int wait,
			   unsigned int flags, sigset_t *sig, size_t bytes)
{
	if (entry_fails())
		return failing.error;
	return __real_io_uring_enter2(fd, submit, wait, flags, sig, bytes);
}

int __wrap_io_uring_submit_and_get_events(struct io_uring *uring)
{
	return entry_fails() ? failing.error : __real_io_uring_submit_and_get_events(uring);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void fail_after(unsigned int after, int error)
{
	failing.after = after;
	failing.error = error;
}

/* A ring has no kernel thread that submits, or it has one. */
static const uint32_t idle_ms[] = { 0, 1 };
#define WAYS (sizeof(idle_ms) / sizeof(idle_ms[0]))

static void open_way(struct fixture *fixture, size_t way, uint32_t transactions)
{
	const struct madring_config config = {
		.transactions = transactions,
		.lanes = 2,
		.sqpoll_idle_ms = idle_ms[way],
	};

	fixture_open(fixture, &config, &fixture_patient);
}

/* Closes a ring on which no completion can come any more, and expects @error. */
static void close_failing(struct fixture *fixture, int error)
{
	assert_int_equal(madring_close(fixture->ring), error);
	assert_int_equal(fake_lanes(), 0);
	assert_int_equal(fake_agents(), 0);
	fail_after(0, 0);
	fake_reset(0, 0);
}

static void test_closing_ends(void **state)
{
	static const int causes[] = { -EBADF, -ENOMEM, -EOWNERDEAD, -EAGAIN, -EBUSY, -EINTR };
	static const int errors[] = { -EBADF, -ENOMEM, -EOWNERDEAD, -EIO, -EIO, -EIO };

	for (size_t i = 0; i < WAYS * 6; i++) {
		struct outcomes outcomes = { 0 };
		struct fixture fixture;
		struct madring_mad *mad;

		open_way(&fixture, i % WAYS, 1024);
		mad = fixture_request(&fixture, 1, 0);
		fixture_send(&fixture, 500, &outcomes);
		assert_true(madring_submit(fixture.ring) > 0);
		fail_after(0, causes[i / WAYS]);
		assert_int_equal(madring_run(fixture.ring, -1), errors[i / WAYS]);
		assert_int_equal(madring_agent_close(fixture.agent), errors[i / WAYS]);
		assert_int_equal(madring_port_close(fixture.port), errors[i / WAYS]);
		close_failing(&fixture, errors[i / WAYS]);
		assert_int_equal(outcomes.count, 500);
		assert_int_equal(outcomes.last_status, -ECANCELED);
		/* The memory that the kernel may still write into is there. */
		memset(mad, 1, FAKE_BYTES);
	}
}

static void test_submission_may_fail_at_any_moment(void **state)
{
	for (unsigned int i = 0; i < WAYS * 12; i++) {
		struct outcomes outcomes = { 0 };
		struct fixture fixture;
		int error;

		open_way(&fixture, i % WAYS, 1024);
		fixture_send(&fixture, 100, &outcomes);
		fail_after(i / WAYS, -EBADF);
		error = madring_submit(fixture.ring);
		assert_true(error == -EBADF || error >= 0);
		error = madring_close(fixture.ring);
		assert_true(error == -EBADF || error == 0);
		assert_int_equal(outcomes.count, 100);
		assert_int_equal(fake_lanes(), 0);
		fail_after(0, 0);
		fake_reset(0, 0);
	}
}

/* Canceled requests find no room: the kernel never empties the submission queue, which is full. */
/* A kernel that has no memory for some time refuses entries, and takes them later. */
static void test_a_refusal_may_end(void **state)
{
	static const int causes[] = { -EAGAIN, -EBUSY, -EINTR };

	for (size_t i = 0; i < WAYS * 3; i++) {
		struct outcomes outcomes = { 0 };
		struct fixture fixture;

		open_way(&fixture, i % WAYS, 1024);
		fixture_send(&fixture, 10, &outcomes);
		for (unsigned int round = 0; round < 3; round++) {
			fail_after(0, causes[i / WAYS]);
			assert_int_equal(madring_run(fixture.ring, 2000), 0);
			fail_after(0, 0);
			failing.skew_ns += 2000000000;
		}
		fixture_finish(&fixture);
		assert_int_equal(outcomes.count, 10);
		assert_int_equal(outcomes.last_status, 0);
		fixture_close(&fixture);
	}
}

static void test_cancellations_exceed_the_submission_queue(void **state)
{
	struct outcomes outcomes = { 0 };
	const struct madring_config config = { .transactions = 8192, .lanes = 1 };
	const struct madring_agent_config agent = {
		.timeout_ms = 60000,
		.window = 8192,
		.pin_window = true,
		.flow_window = 8192,
	};
	struct fixture fixture;

	/* A thread of the kernel's is handed requests without an entry that could fail. */
	if (by_thread())
		skip();
	fixture_open(&fixture, &config, &agent);
	fail_after(0, -EBADF);
	fixture_send(&fixture, 8192, &outcomes);
	assert_int_equal(madring_submit(fixture.ring), -EBADF);
	assert_int_equal(madring_agent_cancel(fixture.agent), 8192);
	/* The requests that were not handed over have ended. */
	assert_true(madring_run(fixture.ring, -1) > 0);
	assert_true(madring_outstanding(fixture.ring) > 0);
	assert_int_equal(madring_run(fixture.ring, -1), -EBADF);
	close_failing(&fixture, -EBADF);
	assert_int_equal(outcomes.count, 8192);
	assert_int_equal(outcomes.last_status, -ECANCELED);
}

static void test_a_call_ends(void **state)
{
	for (size_t way = 0; way < WAYS; way++) {
		struct madring_completion completion;
		struct fixture fixture;

		open_way(&fixture, way, 1024);
		/* The library does not enter the kernel merely to see whether it can. */
		fail_after(0, -ENOMEM);
		assert_int_equal(madring_call(fixture.agent, fixture_request(&fixture, 1, 0), NULL,
					      &completion),
				 -ENOMEM);
		assert_int_equal(madring_outstanding(fixture.ring), 0);
		assert_non_null(completion.request);
		assert_null(completion.mad);
		madring_mad_free(fixture.ring, completion.request);
		close_failing(&fixture, -ENOMEM);
	}
}

/* An event loop never steps a ring whose descriptor is not readable. */
static void test_event_loop_learns_of_the_failure(void **state)
{
	struct pollfd fd = { .events = POLLIN };
	struct fixture fixture;

	open_way(&fixture, 0, 1024);
	fd.fd = madring_fd(fixture.ring);
	while (poll(&fd, 1, 0))
		assert_int_equal(madring_step(fixture.ring), 0);
	ring_give_up(fixture.ring, -EBADF);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(poll(&fd, 1, 0), 1);
		assert_int_equal(madring_step(fixture.ring), -EBADF);
	}
	close_failing(&fixture, -EBADF);
}

static off_t size_of(const char *path)
{
	struct stat file;

	return stat(path, &file) ? -1 : file.st_size;
}

/* Returns the line that finds something wrong in the child, or 0. */
static int use_in_child(struct fixture *fixture, const struct outcomes *outcomes)
{
	const struct madring_agent_config config = { .mgmt_class = CLASS_SA, .class_version = 2 };
	unsigned int agents = fake_agents();
	struct madring_completion completion;
	struct madring_agent *agent;
	struct madring_port *port;
	struct madring_mad *mad = fixture_request(fixture, 1, 0);

	if (madring_submit(fixture->ring) != -EREMOTE ||
	    madring_run(fixture->ring, 0) != -EREMOTE || madring_step(fixture->ring) != -EREMOTE ||
	    madring_fd(fixture->ring) != -EREMOTE)
		return __LINE__;
	if (madring_call(fixture->agent, mad, NULL, &completion) != -EREMOTE ||
	    madring_port_open(fixture->ring, NULL, 0, NULL, &port) != -EREMOTE ||
	    madring_agent_open(fixture->port, &config, &agent) != -EREMOTE ||
	    madring_agent_close(fixture->agent) != -EREMOTE ||
	    madring_port_close(fixture->port) != -EREMOTE)
		return __LINE__;
	if (madring_close(fixture->ring) != 0 || fake_lanes() || outcomes->count)
		return __LINE__;
	/* The parent's files still have the agents. */
	return fake_agents() == agents ? 0 : __LINE__;
}

static void test_a_child_leaves_the_parents_ring_alone(void **state)
{
	char path[40]; /* of each process, because the variants of this test run side by side */

	snprintf(path, sizeof(path), "ending.%d.pcapng", (int)getpid());
	for (size_t way = 0; way < WAYS; way++) {
		struct outcomes outcomes = { 0 };
		struct fixture fixture;
		int status;
		off_t size;
		pid_t child;

		open_way(&fixture, way, 1024);
		assert_int_equal(madring_capture_open(fixture.ring, path, NULL), 0);
		assert_true(madring_fd(fixture.ring) >= 0);
		fixture_send(&fixture, 100, &outcomes);
		assert_true(madring_step(fixture.ring) >= 0);
		size = size_of(path);
		child = fork();
		if (!child)
			_exit(use_in_child(&fixture, &outcomes) % 256);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		assert_int_equal(size_of(path), size);
		assert_int_equal(outcomes.count, 0);
		fixture_finish(&fixture);
		assert_int_equal(outcomes.count, 100);
		assert_int_equal(outcomes.last_status, 0);
		fixture_close(&fixture);
		assert_true(size_of(path) > size);
		unlink(path);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_closing_ends),
	cmocka_unit_test(test_submission_may_fail_at_any_moment),
	cmocka_unit_test(test_a_refusal_may_end),
	cmocka_unit_test(test_cancellations_exceed_the_submission_queue),
	cmocka_unit_test(test_a_call_ends),
	cmocka_unit_test(test_event_loop_learns_of_the_failure),
	cmocka_unit_test(test_a_child_leaves_the_parents_ring_alone),
};

TEST_MAIN(tests, NULL, NULL)
