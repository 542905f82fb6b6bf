/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel thread submits (SQPOLL), and only the library waits for it. */
#include "by_thread.h"
#include "library_fixture.h"
#include "verdicts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define POLLER "iou-sqp"
#define WORKER "iou-wrk"

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

static void open_polled(struct fixture *fixture, uint32_t idle_ms, uint32_t transactions,
			uint32_t lanes)
{
	const struct madring_config config = {
		.transactions = transactions,
		.lanes = lanes,
		.sqpoll_idle_ms = idle_ms,
	};
	const struct madring_agent_config agent = {
		.timeout_ms = 60000,
		.window = transactions,
		.pin_window = true,
		.flow_window = transactions,
	};

	fixture_open(fixture, &config, &agent);
}

static void test_sqpoll_thread_exists_when_chosen(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	fixture_open(&fixture, NULL, NULL);
	assert_int_equal(by_thread_state(POLLER), 0);
	fixture_close(&fixture);
	open_polled(&fixture, 100, 1024, 0);
	assert_int_not_equal(by_thread_state(POLLER), 0);
	fake_answering_start();
	for (unsigned int round = 1; round <= 20; round++) {
		fixture_send(&fixture, 1000, &outcomes);
		fixture_drain(&fixture);
		assert_int_equal(outcomes.count, 1000 * round);
		assert_int_equal(outcomes.last_status, 0);
	}
	assert_int_equal(by_thread_state(WORKER), 0);
	fake_answering_stop();
	fixture_close(&fixture);
}

static void test_sleeping_sqpoll_thread_is_woken(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_polled(&fixture, 1, 1024, 0);
	fake_answering_start();
	for (unsigned int round = 1; round <= 10; round++) {
		while (by_thread_state(POLLER) != 'S')
			sleep_ms(1);
		fixture_send(&fixture, 10, &outcomes);
		fixture_drain(&fixture);
		assert_int_equal(outcomes.count, 10 * round);
	}
	fake_answering_stop();
	fixture_close(&fixture);
}

/* The writes exceed the submission queue. */
static void test_the_queue_overflows(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_polled(&fixture, 1, 32768, 0);
	fake_answering_start();
	fixture_send(&fixture, 32768, &outcomes);
	fixture_drain(&fixture);
	assert_int_equal(outcomes.count, 32768);
	assert_int_equal(outcomes.last_status, 0);
	fake_answering_stop();
	fixture_close(&fixture);
}

/* Nobody reads the writes until the file takes no more; then all requests are canceled. */
static void test_more_is_canceled_than_the_queue_has_room_for(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_polled(&fixture, 1, 32768, 1);
	fixture_send(&fixture, 32768, &outcomes);
	for (unsigned int i = 0; i < 50; i++)
		assert_int_equal(madring_run(fixture.ring, 1), 0);
	assert_int_equal(madring_agent_cancel(fixture.agent), 32768);
	fixture_drain(&fixture);
	assert_int_equal(outcomes.count, 32768);
	assert_int_equal(outcomes.last_status, -ECANCELED);
	fixture_close(&fixture);
}

static void test_sqpoll_ring_closes_at_any_time(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	for (unsigned int round = 1; round <= 50; round++) {
		open_polled(&fixture, 1, 1024, 4);
		fixture_send(&fixture, 500, &outcomes);
		assert_int_equal(madring_submit(fixture.ring), 500);
		if (round % 2)
			assert_int_equal(madring_port_close(fixture.port), 0);
		fixture_close(&fixture);
		assert_int_equal(outcomes.count, 500 * round);
	}
}

/* The kernel refuses a write whose agent has been unregistered meanwhile. */
static void test_no_write_outlives_its_agent(void **state)
{
	const struct madring_agent_config agent = { .mgmt_class = CLASS_SA, .class_version = 2 };
	unsigned int refused = verdicts_refused();
	struct fixture fixture;

	open_polled(&fixture, 1, 1024, 1);
	for (unsigned int round = 0; round < 20; round++) {
		struct outcomes outcomes = { 0 };

		/* The thread sleeps in every other round, and has to be woken. */
		while (round % 2 && by_thread_state(POLLER) != 'S')
			sleep_ms(1);
		fixture_send(&fixture, 500, &outcomes);
		assert_true(madring_submit(fixture.ring) > 0);
		assert_int_equal(madring_agent_close(fixture.agent), 0);
		fixture_drain(&fixture);
		assert_int_equal(outcomes.count, 500);
		assert_int_equal(outcomes.last_status, -ECANCELED);
		fake_answer_all();
		assert_int_equal(madring_agent_open(fixture.port, &agent, &fixture.agent), 0);
	}
	assert_int_equal(verdicts_refused(), refused);
	fixture_close(&fixture);
}

static void step_all(struct fixture *fixture)
{
	assert_true(madring_step(fixture->ring) >= 0);
	while (madring_outstanding(fixture->ring)) {
		fixture_wait_readable(fixture);
		assert_true(madring_step(fixture->ring) >= 0);
	}
}

static void send_patiently(struct fixture *fixture, int timeout_ms, struct outcomes *outcomes)
{
	const struct madring_send_options send = {
		.callback = count_outcome,
		.user = outcomes,
		.timeout_ms = timeout_ms,
		.retries = MADRING_NO_RETRIES,
	};

	assert_int_equal(madring_send(fixture->agent,
				      fixture_request(fixture, (uint16_t)timeout_ms, 0), &send),
			 0);
	assert_true(madring_step(fixture->ring) >= 0);
}

/* Each step brings the timer forward; it may go off before the thread has seen the last step. */
static void test_the_fd_tells_of_timers(void **state)
{
	struct outcomes outcomes = { 0 };
	int timeout_ms = 600;
	struct fixture fixture;

	open_polled(&fixture, 1, 1024, 1);
	assert_true(madring_fd(fixture.ring) >= 0);
	for (unsigned int round = 0; round < 8; round++) {
		while (by_thread_state(POLLER) != 'S')
			sleep_ms(1);
		for (unsigned int i = 0; i < 10; i++, timeout_ms -= 5)
			send_patiently(&fixture, timeout_ms, &outcomes);
	}
	step_all(&fixture);
	assert_int_equal(outcomes.count, 80);
	assert_int_equal(outcomes.last_status, -ETIMEDOUT);
	fixture_close(&fixture);
}

static int open_failing(int error)
{
	const struct madring_config config = { .transactions = 64, .sqpoll_idle_ms = 10 };
	struct madring *ring;
	int result;

	by_thread_setup_fails = error;
	result = madring_open(&ring, &config);
	by_thread_setup_fails = 0;
	return result;
}

static void test_refused_writes_are_reported(void **state)
{
	const struct madring_config too_long = { .sqpoll_idle_ms = MADRING_MAX_SQPOLL_MS + 1 };
	struct madring *ring;

	assert_int_equal(madring_open(&ring, &too_long), -EINVAL);
	assert_int_equal(open_failing(-EINVAL), -EOPNOTSUPP);
	assert_int_equal(open_failing(-ENOSYS), -ENOSYS);
	assert_int_equal(open_failing(-EPERM), -EPERM);
	assert_int_equal(open_failing(-EACCES), -EPERM);
	assert_int_equal(open_failing(-EAGAIN), -ECHILD);
	assert_int_equal(open_failing(-EMFILE), -EMFILE);
	assert_non_null(strstr(madring_error_text(-ECHILD), "ulimit -u"));
}

/* Opens a ring as a user who may have no other process. Exits with the result of madring_open(). */
_Noreturn static void open_as_nobody(uint32_t idle_ms)
{
	const struct rlimit one = { 1, 1 };
	const struct madring_config config = {
		.transactions = 64,
		.reads = 64,
		.pin = MADRING_PIN_BEST_EFFORT,
		.sqpoll_idle_ms = idle_ms,
	};
	struct madring *ring;

	if (setrlimit(RLIMIT_NPROC, &one) < 0 || (!getuid() && setuid(65534) < 0))
		_exit(255);
	_exit(-madring_open(&ring, &config));
}

static int opened_by_nobody(uint32_t idle_ms)
{
	pid_t child = fork();
	int status;

	if (!child)
		open_as_nobody(idle_ms);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_the_thread_counts_as_a_process(void **state)
{
	assert_int_equal(opened_by_nobody(0), 0);
	assert_int_equal(opened_by_nobody(10), ECHILD);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sqpoll_thread_exists_when_chosen),
	cmocka_unit_test(test_sleeping_sqpoll_thread_is_woken),
	cmocka_unit_test(test_the_queue_overflows),
	cmocka_unit_test(test_more_is_canceled_than_the_queue_has_room_for),
	cmocka_unit_test(test_sqpoll_ring_closes_at_any_time),
	cmocka_unit_test(test_no_write_outlives_its_agent),
	cmocka_unit_test(test_the_fd_tells_of_timers),
	cmocka_unit_test(test_refused_writes_are_reported),
	cmocka_unit_test(test_the_thread_counts_as_a_process),
};

TEST_MAIN(tests, NULL, NULL)
