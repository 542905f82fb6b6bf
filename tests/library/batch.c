/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches: requests are handed out while there is room, and each has one outcome. */
#include "batch_job.h"

#include <errno.h>

static void test_requests_of_a_batch_have_outcomes(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 5000, .lid_0_every = 7 };
	const struct madring_batch_config config = job_config(&job);

	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(job.ended, 5000);
	assert_int_equal(job.with[EDESTADDRREQ], 715);
	assert_int_equal(job.with[0], 4285);
	assert_true(job.peak <= 1024);
}

static void test_a_small_ring_is_no_limit(void **state)
{
	static const struct madring_config sizes[] = {
		{ .transactions = 1 },
		{ .transactions = 3, .buffers = 64 },
		{ .transactions = 64, .buffers = 2 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct job job = { .total = 100 }, second = { .total = 100 };
		const struct madring_batch_config config = job_config(&job);
		const struct madring_batch_config other = job_config(&second);
		struct fixture fixture;

		fixture_open(&fixture, &sizes[i], &fixture_patient);
		fake_answering_start();
		job_start(&fixture, &config);
		job_start(&fixture, &other);
		assert_int_equal(madring_batch_run(job.batch), 0);
		assert_int_equal(job.with[0], 100);
		/* They took turns. */
		assert_true(second.ended > 50);
		assert_int_equal(madring_batch_run(second.batch), 0);
		assert_int_equal(second.with[0], 100);
		fake_answering_stop();
		assert_int_equal(madring_batch_end(job.batch), 0);
		assert_int_equal(madring_batch_end(second.batch), 0);
		fixture_close(&fixture);
	}
}

static void test_in_flight_limit_of_a_batch_holds(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 300 };
	struct madring_batch_config config = job_config(&job);

	config.most = 5;
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 300);
	assert_int_equal(job.peak, 5);
}

static void test_requests_go_by_several_agents(void **state)
{
	const struct madring_agent_config pma = { .mgmt_class = 0x04, .class_version = 1 };
	struct fixture *fixture = *state;
	struct job job = { .total = 400 };
	const struct madring_batch_config config = job_config(&job);

	assert_int_equal(madring_agent_open(fixture->port, &pma, &job.via), 0);
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 400);
}

static void test_silence_is_an_outcome(void **state)
{
	const struct madring_agent_config impatient = { .timeout_ms = 1, .retries = 1 };
	struct job job = { .total = 50 };
	const struct madring_batch_config config = job_config(&job);
	struct fixture fixture;

	fixture_open(&fixture, NULL, &impatient);
	assert_int_equal(madring_batch_call(fixture.agent, &config), 0);
	assert_int_equal(job.with[ETIMEDOUT], 50);
	fixture_close(&fixture);
}

static void test_deadline_ends_a_batch(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 3000 };
	struct madring_batch_config config = job_config(&job);
	struct madring_batch *batch;

	config.deadline_ms = 5;
	batch = job_start(fixture, &config);
	assert_int_equal(madring_batch_run(batch), 0);
	assert_true(job_batch_state(batch).deadline_reached && job_batch_state(batch).done);
	assert_false(job_batch_state(batch).canceled);
	assert_true(job.given <= 1024);
	assert_int_equal(job.with[ECANCELED], job.given);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_callback_cancels_its_batch(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 3000, .cancel_after = 100 };
	const struct madring_batch_config config = job_config(&job);
	struct madring_batch *batch = job_start(fixture, &config);

	fake_answering_start();
	assert_int_equal(madring_batch_run(batch), 0);
	fake_answering_stop();
	assert_true(job_batch_state(batch).canceled);
	assert_int_equal(job.ended, job.given);
	assert_true(job.with[0] >= 100 && job.with[ECANCELED] && job.given < 3000);
	madring_batch_more(batch);
	assert_int_equal(madring_batch_run(batch), 0);
	assert_int_equal(job.ended, job.given);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_the_callback_for_requests_may_fail(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10, .next_error = -EILSEQ };
	const struct madring_batch_config config = job_config(&job);

	assert_int_equal(madring_batch_call(fixture->agent, &config), -EILSEQ);
	assert_int_equal(job.with[ECANCELED], 10);
}

static void test_more_continues_a_batch(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10 }, other = { 0 };
	const struct madring_batch_config config = job_config(&job), next = job_config(&other);

	fake_answering_start();
	job_start(fixture, &config);
	job_start(fixture, &next);
	job.other = &other;
	assert_int_equal(madring_batch_run(job.batch), 0);
	assert_int_equal(madring_batch_run(other.batch), 0);
	assert_int_equal(other.with[0], 10);
	job.total = 25;
	madring_batch_more(job.batch);
	assert_false(job_batch_state(job.batch).done);
	assert_int_equal(madring_batch_run(job.batch), 0);
	assert_int_equal(madring_batch_run(other.batch), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 25);
	assert_int_equal(other.with[0], 25);
	assert_int_equal(job_batch_state(job.batch).answered, 25);
	assert_int_equal(madring_batch_end(job.batch), 0);
	assert_int_equal(madring_batch_end(other.batch), 0);
}

/* Nothing has the batch call .next again: no outcome, no .watch that wants calls, and no more. */
static void test_batch_finishes_once(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10, .next_error = MADRING_BATCH_FINISHED, .watch_adds = 3 };
	struct madring_batch_config config = job_config(&job);

	config.watch = job_watch;
	job.watch_ms = 3600000;
	fake_answering_start();
	job_start(fixture, &config);
	assert_int_equal(madring_batch_run(job.batch), 0);
	assert_true(job.watched && job_batch_state(job.batch).done);
	assert_int_equal(job.with[0], job.given);
	job.total = job.given + 5;
	madring_batch_more(job.batch);
	assert_true(job_batch_state(job.batch).done);
	assert_int_equal(madring_batch_run(job.batch), 0);
	fake_answering_stop();
	assert_int_equal(job.ends, 1);
	assert_int_equal(job.with[0], job.total - 5);
	assert_int_equal(madring_batch_end(job.batch), 0);
}

/* Requests without replies in an event loop: only its timer tells of the calls that are due. */
static void test_times_are_kept_in_an_event_loop(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .watch_adds = 4, .watch_ms = 2 };
	struct madring_batch_config config = job_config(&job);
	struct madring_batch *batch;

	config.watch = job_watch;
	config.progress = job_tell;
	config.progress_ms = 1;
	batch = job_start(fixture, &config);
	assert_true(madring_fd(fixture->ring) >= 0);
	assert_true(madring_step(fixture->ring) >= 0);
	while (job.given < 4 || job.told < 3) {
		fixture_wait_readable(fixture);
		assert_true(madring_step(fixture->ring) >= 0);
	}
	assert_true(job.watched >= 4);
	assert_int_equal(madring_batch_cancel(batch), 4);
	fixture_wait_readable(fixture);
	assert_true(madring_step(fixture->ring) > 0);
	assert_int_equal(job.with[ECANCELED], 4);
	assert_true(job_batch_state(batch).done);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_a_deadline_is_kept_in_an_event_loop(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 10 };
	struct madring_batch_config config = job_config(&job);
	struct madring_batch *batch;

	config.deadline_ms = 5;
	batch = job_start(fixture, &config);
	assert_true(madring_fd(fixture->ring) >= 0);
	assert_true(madring_step(fixture->ring) >= 0);
	while (!job_batch_state(batch).done) {
		fixture_wait_readable(fixture);
		assert_true(madring_step(fixture->ring) >= 0);
	}
	assert_int_equal(job.with[ECANCELED], job.given);
	assert_true(job_batch_state(batch).deadline_reached);
	assert_int_equal(madring_batch_end(batch), 0);
}

static void test_batch_runs_in_an_event_loop(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .total = 3000 };
	const struct madring_batch_config config = job_config(&job);
	struct madring_batch *batch = job_start(fixture, &config);

	fake_answering_start();
	assert_true(madring_step(fixture->ring) >= 0);
	while (!job_batch_state(batch).done) {
		fixture_wait_readable(fixture);
		assert_true(madring_step(fixture->ring) >= 0);
	}
	fake_answering_stop();
	assert_int_equal(job.with[0], 3000);
	assert_int_equal(madring_batch_end(batch), 0);
}

/* A watch that wants to be called paces a batch that has nothing in flight. */
static void test_watch_keeps_a_batch_going(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { .watch_adds = 5, .watch_ms = 1 };
	struct madring_batch_config config = job_config(&job);

	config.watch = job_watch;
	fake_answering_start();
	assert_int_equal(madring_batch_call(fixture->agent, &config), 0);
	fake_answering_stop();
	assert_int_equal(job.with[0], 5);
}

static void test_wrong_configs_are_refused(void **state)
{
	struct fixture *fixture = *state;
	struct job job = { 0 };
	struct madring_batch_config config = job_config(&job);
	struct madring_batch *batch;

	assert_int_equal(madring_batch_start(fixture->agent, NULL, &batch), -EINVAL);
	config.next = NULL;
	assert_int_equal(madring_batch_start(fixture->agent, &config, &batch), -EINVAL);
	config = job_config(&job);
	config.done = NULL;
	assert_int_equal(madring_batch_start(fixture->agent, &config, &batch), -EINVAL);
	config = job_config(&job);
	config.deadline_ms = -1;
	assert_int_equal(madring_batch_start(fixture->agent, &config, &batch), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	PATIENT_TEST(test_requests_of_a_batch_have_outcomes),
	cmocka_unit_test(test_a_small_ring_is_no_limit),
	PATIENT_TEST(test_batch_finishes_once),
	PATIENT_TEST(test_in_flight_limit_of_a_batch_holds),
	PATIENT_TEST(test_requests_go_by_several_agents),
	cmocka_unit_test(test_silence_is_an_outcome),
	PATIENT_TEST(test_deadline_ends_a_batch),
	PATIENT_TEST(test_callback_cancels_its_batch),
	PATIENT_TEST(test_the_callback_for_requests_may_fail),
	PATIENT_TEST(test_more_continues_a_batch),
	PATIENT_TEST(test_times_are_kept_in_an_event_loop),
	PATIENT_TEST(test_a_deadline_is_kept_in_an_event_loop),
	PATIENT_TEST(test_batch_runs_in_an_event_loop),
	PATIENT_TEST(test_watch_keeps_a_batch_going),
	PATIENT_TEST(test_wrong_configs_are_refused),
};

TEST_MAIN(tests, NULL, NULL)
