/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways to run a ring: blocking, from another event loop, woken, interrupted. */
#include "library_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void test_run_waits_for_a_reply(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;

	assert_int_equal(madring_run(fixture->ring, -1), 0);
	fake_answering_start();
	fixture_send(fixture, 1000, &outcomes);
	while (madring_outstanding(fixture->ring))
		assert_true(madring_run(fixture->ring, -1) > 0);
	assert_int_equal(outcomes.count, 1000);
	fake_answering_stop();
}

static void test_run_returns_when_the_time_is_up(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;

	fixture_send(fixture, 100, &outcomes);
	assert_int_equal(madring_run(fixture->ring, 0), 0);
	assert_int_equal(madring_run(fixture->ring, 5), 0);
	assert_int_equal(madring_outstanding(fixture->ring), 100);
	fixture_finish(fixture);
}

static void test_dispatch_keeps_to_its_budget(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	fixture_open(&fixture, NULL,
		     &(struct madring_agent_config){ .window = 100, .pin_window = true });
	fixture_send(&fixture, 100, &outcomes);
	assert_int_equal(madring_submit(fixture.ring), 100);
	assert_int_equal(fake_answer_all(), 100);
	while (outcomes.count < 98) {
		unsigned int before = outcomes.count;
		int count = madring_dispatch(fixture.ring, 7);

		assert_in_range(count, 0, 7);
		assert_int_equal(outcomes.count, before + (unsigned int)count);
		assert_true(madring_submit(fixture.ring) >= 0);
	}
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 100);
	fixture_close(&fixture);
}

static void test_fd_is_readable_when_replies_come(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;

	fake_answering_start();
	fixture_send(fixture, 1000, &outcomes);
	assert_true(madring_step(fixture->ring) >= 0);
	while (madring_outstanding(fixture->ring)) {
		fixture_wait_readable(fixture);
		assert_true(madring_step(fixture->ring) >= 0);
	}
	assert_int_equal(outcomes.count, 1000);
	fake_answering_stop();
}

static void test_the_fd_tells_of_timers(void **state)
{
	const struct madring_agent_config config = { .timeout_ms = 3, .retries = 3 };
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	fixture_open(&fixture, NULL, &config);
	fixture_send(&fixture, 20, &outcomes);
	assert_true(madring_step(fixture.ring) >= 0);
	while (madring_outstanding(fixture.ring)) {
		fixture_wait_readable(&fixture);
		assert_true(madring_step(fixture.ring) >= 0);
	}
	assert_int_equal(outcomes.last_status, -ETIMEDOUT);
	assert_int_equal(outcomes.last_attempts, 4);
	fixture_close(&fixture);
}

/* Steps until nothing is left to do for now. */
static void step_until_quiet(struct madring *ring)
{
	do
		assert_true(madring_step(ring) >= 0);
	while (poll(&(struct pollfd){ .fd = madring_fd(ring), .events = POLLIN }, 1, 0));
}

/* No transaction ends between two steps except by canceling. */
static void test_the_fd_tells_of_canceling(void **state)
{
	const struct madring_agent_config config = { .timeout_ms = 3600000 };
	struct outcomes outcomes = { 0 };
	struct madring_send_options send = { .callback = count_outcome, .user = &outcomes };
	struct fixture fixture;
	uint64_t id;

	send.id = &id;
	fixture_open(&fixture, NULL, &config);
	assert_true(madring_fd(fixture.ring) >= 0);
	for (unsigned int way = 0; way < 3; way++) {
		assert_int_equal(
			madring_send(fixture.agent, fixture_request(&fixture, 5, way), &send), 0);
		step_until_quiet(fixture.ring);
		assert_int_equal(outcomes.count, way);
		if (way == 0)
			assert_int_equal(madring_cancel(fixture.ring, id), 0);
		else if (way == 1)
			assert_int_equal(madring_agent_cancel(fixture.agent), 1);
		else
			assert_int_equal(madring_agent_close(fixture.agent), 0);
		fixture_wait_readable(&fixture);
		assert_true(madring_step(fixture.ring) >= 0);
		assert_int_equal(outcomes.count, way + 1);
		assert_int_equal(outcomes.last_status, -ECANCELED);
	}
	fixture_close(&fixture);
}

/* The kept buffers: both of each transaction, until the receive buffers are used up. */
static struct {
	struct madring *ring;
	struct madring_mad *mad[256];
	unsigned int count;
	bool is_over;
} kept;

static void keep_both(const struct madring_completion *completion)
{
	count_outcome(completion);
	if (kept.is_over || !completion->mad)
		return;
	kept.mad[kept.count++] = completion->mad;
	kept.mad[kept.count++] = completion->request;
	assert_int_equal(madring_mad_keep(kept.ring, completion->mad), 0);
	assert_int_equal(madring_mad_keep(kept.ring, completion->request), 0);
}

static void give_back_kept(void)
{
	kept.is_over = true;
	while (kept.count)
		madring_mad_free(kept.ring, kept.mad[--kept.count]);
}

static void test_the_fd_tells_of_buffers_given_back(void **state)
{
	const struct madring_config config = { .transactions = 128, .reads = 64, .lanes = 1 };
	const struct madring_agent_config agent = {
		.timeout_ms = 60000,
		.window = 128,
		.pin_window = true,
	};
	struct outcomes outcomes = { 0 };
	const struct madring_send_options send = { .callback = keep_both, .user = &outcomes };
	struct fixture fixture;

	fixture_open(&fixture, &config, &agent);
	kept.ring = fixture.ring;
	assert_true(madring_fd(fixture.ring) >= 0);
	for (unsigned int i = 0; i < 128; i++)
		assert_int_equal(madring_send(fixture.agent,
					      fixture_request(&fixture, (uint16_t)(i + 1), i),
					      &send),
				 0);
	assert_true(madring_step(fixture.ring) >= 0);
	while (outcomes.count < 64) {
		fake_answer_all();
		fixture_wait_readable(&fixture);
		assert_true(madring_step(fixture.ring) >= 0);
	}
	step_until_quiet(fixture.ring);
	assert_int_equal(outcomes.count, 64);
	give_back_kept();
	while (outcomes.count < 128) {
		fixture_wait_readable(&fixture);
		assert_true(madring_step(fixture.ring) >= 0);
		fake_answer_all();
	}
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

static void *wake_soon(void *ring)
{
	usleep(2000);
	assert_int_equal(madring_wake(ring), 0);
	return NULL;
}

static void test_other_thread_wakes_a_run(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;
	pthread_t thread;

	fixture_send(fixture, 1, &outcomes);
	for (unsigned int i = 0; i < 5; i++) {
		assert_int_equal(pthread_create(&thread, NULL, wake_soon, fixture->ring), 0);
		assert_int_equal(madring_run(fixture->ring, -1), 0);
		pthread_join(thread, NULL);
	}
	/* A wake-up that comes first is not lost. */
	madring_wake(fixture->ring);
	assert_int_equal(madring_run(fixture->ring, -1), 0);
	/* An event loop learns of each. */
	for (unsigned int i = 0; i < 5; i++) {
		madring_step(fixture->ring);
		madring_wake(fixture->ring);
		fixture_wait_readable(fixture);
	}
	fixture_finish(fixture);
}

static void ignore(int signal)
{
}

/* Signals that come again and again, because one may come before the wait begins. */
static void signals_start(void)
{
	const struct itimerval often = { { .tv_usec = 2000 }, { .tv_usec = 2000 } };
	struct sigaction action = { .sa_handler = ignore };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static void signals_stop(void)
{
	const struct itimerval never = { { 0 }, { 0 } };

	setitimer(ITIMER_REAL, &never, NULL);
}

static void test_signal_interrupts_a_run(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;

	fixture_send(fixture, 100, &outcomes);
	signals_start();
	assert_int_equal(madring_run(fixture->ring, -1), -EINTR);
	signals_stop();
	assert_int_equal(madring_outstanding(fixture->ring), 100);
	fixture_finish(fixture);
	assert_int_equal(outcomes.count, 100);
}

static void test_a_call_waits_and_others_go_on(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_completion completion;
	struct fixture *fixture = *state;

	fake_answering_start();
	for (uint32_t mark = 0; mark < 50; mark++) {
		fixture_send(fixture, 10, &outcomes);
		assert_int_equal(madring_call(fixture->agent, fixture_request(fixture, 5, mark),
					      NULL, &completion),
				 0);
		assert_int_equal(completion.status, 0);
		assert_int_equal(fixture_mark(madring_mad_data(completion.mad)), mark);
		madring_mad_free(fixture->ring, completion.mad);
		madring_mad_free(fixture->ring, completion.request);
	}
	fake_answering_stop();
	fixture_finish(fixture);
	assert_int_equal(outcomes.count, 500);
}

static void test_a_call_may_fail(void **state)
{
	const struct madring_send_options bad = { .length = 1 };
	const struct madring_send_options forever = { .timeout_ms = MADRING_FOREVER };
	struct madring_completion completion;
	struct madring_mad *mad;
	struct madring_stats stats;
	struct fixture fixture;

	fixture_open(&fixture, NULL,
		     &(struct madring_agent_config){ .timeout_ms = 2, .retries = 1 });
	mad = fixture_request(&fixture, 5, 0);
	assert_int_equal(madring_call(fixture.agent, mad, &bad, &completion), -EINVAL);
	assert_ptr_equal(completion.request, mad);
	assert_int_equal(completion.status, -EINVAL);
	/* That the request is not answered is no error of the call. */
	assert_int_equal(madring_call(fixture.agent, mad, NULL, &completion), 0);
	assert_int_equal(completion.status, -ETIMEDOUT);
	assert_ptr_equal(completion.request, mad);
	assert_null(completion.mad);
	signals_start();
	assert_int_equal(madring_call(fixture.agent, mad, &forever, &completion), -EINTR);
	assert_int_equal(completion.status, -EINTR);
	signals_stop();
	assert_ptr_equal(completion.request, mad);
	assert_null(completion.mad);
	madring_mad_free(fixture.ring, mad);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool_plain_in_use, 256);
	fixture_close(&fixture);
}

/* A worker thread of io_uring shows a request that was not done inline. */
static void test_no_worker_thread_is_ever_needed(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;
	struct dirent *entry;
	DIR *tasks;

	fixture_send(fixture, 1000, &outcomes);
	fixture_finish(fixture);
	tasks = opendir("/proc/self/task");
	assert_non_null(tasks);
	while ((entry = readdir(tasks))) {
		char path[300], name[32] = "";
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(name, sizeof(name), file))
			assert_null(strstr(name, "iou-wrk"));
		fclose(file);
	}
	closedir(tasks);
}

static const struct CMUnitTest tests[] = {
	FIXTURE_TEST(test_run_waits_for_a_reply),
	PATIENT_TEST(test_run_returns_when_the_time_is_up),
	cmocka_unit_test(test_dispatch_keeps_to_its_budget),
	FIXTURE_TEST(test_fd_is_readable_when_replies_come),
	cmocka_unit_test(test_the_fd_tells_of_timers),
	cmocka_unit_test(test_the_fd_tells_of_canceling),
	cmocka_unit_test(test_the_fd_tells_of_buffers_given_back),
	PATIENT_TEST(test_other_thread_wakes_a_run),
	PATIENT_TEST(test_signal_interrupts_a_run),
	FIXTURE_TEST(test_a_call_waits_and_others_go_on),
	cmocka_unit_test(test_a_call_may_fail),
	FIXTURE_TEST(test_no_worker_thread_is_ever_needed),
};

TEST_MAIN(tests, NULL, NULL)
