/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of batches: by the program, the device, a signal or a lack of buffers; and who is told.
 */
#include "batch_job.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_ending_is_silent(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 500 };
	const struct madring_batch_config config = job_config(&job);
	struct madring_batch *batch = job_start(fixture, &config);

	assert_true(madring_run(fixture->ring, 0) >= 0);
	assert_int_equal(job.given, 500);
	assert_int_equal(madring_batch_end(batch), 0);
	assert_int_equal(madring_batch_end(NULL), 0);
	fixture_drain(fixture);
	assert_int_equal(job.ended, 0);
}

static void test_closing_the_ring_ends_a_batch(void **state)
{
	struct job job = { .total = 3000 }, orphan = { .total = 10 };
	const struct madring_batch_config config = job_config(&job), other = job_config(&orphan);
	struct fixture fixture;

	fixture_open(&fixture, NULL, &fixture_patient);
	job_start(&fixture, &other);
	job_start(&fixture, &config);
	assert_true(madring_run(fixture.ring, 0) >= 0);
	assert_int_equal(madring_batch_end(orphan.batch), 0);
	fixture_close(&fixture);
	assert_true(job.given > 0);
	assert_int_equal(job.with[ECANCELED], job.given);
	assert_int_equal(orphan.ended, 0);
}

static void test_closing_the_agent_cancels_a_batch(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 3000 };
	const struct madring_batch_config config = job_config(&job);
	struct madring_batch *batch = job_start(fixture, &config);

	assert_true(madring_run(fixture->ring, 0) >= 0);
	assert_int_equal(madring_agent_close(fixture->agent), 0);
	assert_int_equal(madring_batch_run(batch), 0);
	assert_true(job_batch_state(batch).canceled);
	assert_int_equal(job.with[ECANCELED], job.given);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_removed_device_stops_a_batch(void **state)
{
	struct job job = { .total = 3000 };
	const struct madring_batch_config config = job_config(&job);
	struct fixture fixture;

	fixture_open(&fixture, NULL, &fixture_patient);
	job_start(&fixture, &config);
	assert_true(madring_run(fixture.ring, 0) >= 0);
	fake_remove();
	assert_int_equal(madring_batch_run(job.batch), -ENODEV);
	assert_int_equal(job_batch_state(job.batch).error, -ENODEV);
	assert_int_equal(job.ended, job.given);
	assert_int_equal(madring_batch_end(job.batch), 0);
	fixture_close(&fixture);
}

static void test_no_buffer_is_an_error(void **state)
{
	const struct madring_config small = { .transactions = 4, .buffers = 1, .reads = 64 };
	struct job job = { .total = 3 };
	const struct madring_batch_config config = job_config(&job);
	struct madring_mad *taken[8];
	unsigned int count = 0;
	struct fixture fixture;

	fixture_open(&fixture, &small, &fixture_patient);
	while (count < 8 && (taken[count] = madring_mad_alloc(fixture.agent)))
		count++;
	assert_in_range(count, 1, 7);
	assert_int_equal(madring_batch_call(fixture.agent, &config), -ENOBUFS);
	assert_int_equal(job.given, 0);
	while (count)
		madring_mad_free(fixture.ring, taken[--count]);
	fixture_close(&fixture);
}

/* A job, and the buffers of the pool that its third watch gives back. */
struct starved {
	struct job job; /* the first: it is the user of the batch */
	struct madring *ring;
	struct madring_mad *taken[8];
	unsigned int count;
};

static int watch_that_gives(void *user, struct madring_batch *batch)
{
	struct starved *starved = user;

	if (++starved->job.watched < 3)
		return 1;
	while (starved->count)
		madring_mad_free(starved->ring, starved->taken[--starved->count]);
	return -1;
}

static void test_a_watch_waits_for_a_buffer(void **state)
{
	const struct madring_config small = { .transactions = 4, .buffers = 1, .reads = 64 };
	struct starved starved = { .job.total = 3 };
	struct madring_batch_config config = job_config(&starved.job);
	struct fixture fixture;

	fixture_open(&fixture, &small, &fixture_patient);
	starved.ring = fixture.ring;
	while (starved.count < 8 &&
	       (starved.taken[starved.count] = madring_mad_alloc(fixture.agent)))
		starved.count++;
	assert_in_range(starved.count, 1, 7);
	config.watch = watch_that_gives;
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture.agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(starved.job.with[0], 3);
	fixture_close(&fixture);
}

/* Counts its calls, and those after the batch was stopped and is done. */
struct told {
	struct job job; /* the first: it is the user of the batch */
	int watch_ms;
	unsigned int ends;
};

static int watch_for_end(void *user, struct madring_batch *batch)
{
	struct told *told = user;

	told->ends += job_batch_state(batch).done;
	return told->watch_ms;
}

/* A batch ends while nothing is in flight: no outcome tells the program. */
static void test_the_end_is_told(void **state)
{
	static const struct {
		int watch_ms, next_error, deadline_ms;
	} cases[] = { { 1000, 0, 20 }, { -1, 0, 20 }, { 1, -EPROTO, 0 }, { -1, -EPROTO, 0 } };
	struct fixture *fixture = *state;

	for (unsigned int i = 0; i < 8; i++) {
		const bool in_event_loop = i >= 4;
		struct told told = { .watch_ms = cases[i % 4].watch_ms };
		struct madring_batch_config config = job_config(&told.job);
		struct madring_mad *taken[2048];
		unsigned int count = 0;

		told.job.next_error = cases[i % 4].next_error;
		told.job.total = cases[i % 4].deadline_ms ? 1 : 0;
		config.watch = watch_for_end;
		config.deadline_ms = cases[i % 4].deadline_ms;
		while (config.deadline_ms && count < 2048 &&
		       (taken[count] = madring_mad_alloc(fixture->agent)))
			count++;
		job_start(fixture, &config);
		if (in_event_loop)
			assert_true(madring_fd(fixture->ring) >= 0);
		do {
			if (in_event_loop)
				assert_true(madring_step(fixture->ring) >= 0);
			else
				assert_true(madring_run(fixture->ring, -1) >= 0);
			if (in_event_loop && !told.ends)
				fixture_wait_readable(fixture);
		} while (!told.ends);
		assert_true(madring_run(fixture->ring, 0) >= 0);
		assert_int_equal(told.ends, 1);
		assert_int_equal(madring_batch_end(told.job.batch), 0);
		while (count)
			madring_mad_free(fixture->ring, taken[--count]);
	}
}

/*
 * An event loop learns of the end of a batch that is canceled between two steps, or whose agent is
 * closed then.
 */
static void test_the_end_is_told_in_an_event_loop(void **state)
{
	struct fixture *fixture = *state;

	assert_true(madring_fd(fixture->ring) >= 0);
	for (unsigned int i = 0; i < 2; i++) {
		struct told told = { .watch_ms = -1 };
		struct madring_batch_config config = job_config(&told.job);

		config.watch = watch_for_end;
		job_start(fixture, &config);
		assert_true(madring_step(fixture->ring) >= 0);
		told.ends = 0;
		if (i)
			assert_int_equal(madring_agent_close(fixture->agent), 0);
		else
			assert_int_equal(madring_batch_cancel(told.job.batch), 0);
		while (!told.ends) {
			fixture_wait_readable(fixture);
			assert_true(madring_step(fixture->ring) >= 0);
		}
		assert_true(job_batch_state(told.job.batch).canceled);
		assert_int_equal(madring_batch_end(told.job.batch), 0);
	}
}

/*
 * Starts a child that stops and continues this process, as Ctrl-Z and fg do, or sends it @number,
 * until this process closes @end. The child never ends between the two.
 */
static pid_t start_signalling(int number, int *end)
{
	struct pollfd closed;
	int ends[2];
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child) {
		close(ends[0]);
		*end = ends[1];
		return child;
	}
	close(ends[1]);
	closed = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	while (!poll(&closed, 1, 3)) {
		kill(getppid(), number);
		usleep(1000);
		if (number == SIGSTOP)
			kill(getppid(), SIGCONT);
	}
	_exit(0);
}

static void on_signal(int number)
{
}

/* Only a signal that the program handles interrupts a batch. */
static void test_handled_signal_alone_interrupts_a_batch(void **state)
{
	struct fixture *fixture = *state;
	struct sigaction handled = { .sa_handler = on_signal }, before;

	for (unsigned int i = 0; i < 2; i++) {
		struct job job = { .total = 10 };
		struct madring_batch_config config = job_config(&job);
		const bool is_handled = i;
		int status, end;
		pid_t child;

		config.deadline_ms = is_handled ? 0 : 100;
		if (is_handled)
			assert_int_equal(sigaction(SIGUSR1, &handled, &before), 0);
		child = start_signalling(is_handled ? SIGUSR1 : SIGSTOP, &end);
		assert_true(child > 0);
		assert_int_equal(madring_batch_call(fixture->agent, &config),
				 is_handled ? -EINTR : 0);
		close(end);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(job.with[ECANCELED], 10);
		if (is_handled)
			sigaction(SIGUSR1, &before, NULL);
	}
}

static void ignore_request(const struct madring_received *received)
{
}

/* A batch that its own .watch ends, while the ring may receive requests for ever. */
static void test_batch_ends_beside_a_receiver(void **state)
{
	const struct madring_agent_config receiver = {
		.mgmt_class = 0x09,
		.class_version = 1,
		.method_mask = { 1 << MADRING_GET },
		.receive = ignore_request,
	};
	struct fixture *fixture = *state;
	struct job job = { .watch_adds = 2, .watch_ms = 1 };
	struct madring_batch_config config = job_config(&job);
	struct madring_agent *agent;

	assert_int_equal(madring_agent_open(fixture->port, &receiver, &agent), 0);
	config.watch = job_watch;
	config.deadline_ms = 20;
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	job = (struct job){ .watch_adds = 1000000, .watch_ms = 1000 };
	config.most = 1;
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	config = job_config(&job);
	job = (struct job){ .next_error = -EPROTO };
	job_start(fixture, &config);
	assert_true(madring_run(fixture->ring, -1) == 0);
	assert_true(job_batch_state(job.batch).done);
	assert_int_equal(madring_batch_end(job.batch), 0);
}

static void test_child_cannot_run_a_batch(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10 };
	const struct madring_batch_config config = job_config(&job);
	struct madring_batch *batch = job_start(fixture, &config);
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (!child)
		_exit(madring_batch_run(batch) != -EREMOTE ||
		      madring_batch_end(batch) != -EREMOTE || job.given ||
		      madring_close(fixture->ring));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	fake_answering_start();
	assert_int_equal(madring_batch_run(batch), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 10);
	assert_int_equal(madring_batch_end(batch), 0);
}

static const struct CMUnitTest tests[] = {
	PATIENT_TEST(test_ending_is_silent),
	cmocka_unit_test(test_closing_the_ring_ends_a_batch),
	PATIENT_TEST(test_closing_the_agent_cancels_a_batch),
	cmocka_unit_test(test_removed_device_stops_a_batch),
	cmocka_unit_test(test_no_buffer_is_an_error),
	cmocka_unit_test(test_a_watch_waits_for_a_buffer),
	PATIENT_TEST(test_the_end_is_told),
	PATIENT_TEST(test_the_end_is_told_in_an_event_loop),
	PATIENT_TEST(test_handled_signal_alone_interrupts_a_batch),
	PATIENT_TEST(test_batch_ends_beside_a_receiver),
	PATIENT_TEST(test_child_cannot_run_a_batch),
};

TEST_MAIN(tests, NULL, NULL)
