/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring belongs to the thread that opened it: functions in another thread do nothing. */
#include "library_fixture.h"

#include <errno.h>
#include <pthread.h>

#define COUNT 100

static void in_a_thread(void *(*function)(void *), void *context)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, function, context), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void *run_elsewhere(void *context)
{
	struct fixture *fixture = context;

	assert_int_equal(madring_submit(fixture->ring), -EREMOTE);
	assert_int_equal(madring_run(fixture->ring, -1), -EREMOTE);
	assert_int_equal(madring_step(fixture->ring), -EREMOTE);
	assert_int_equal(madring_dispatch(fixture->ring, 0), -EREMOTE);
	assert_int_equal(madring_fd(fixture->ring), -EREMOTE);
	return NULL;
}

/* The ring has replies that were read and not called back. */
static void test_other_thread_cannot_run_the_ring(void **state)
{
	struct fixture *fixture = *state;
	struct outcomes outcomes = { 0 };

	fixture_send(fixture, COUNT, &outcomes);
	in_a_thread(run_elsewhere, fixture);
	assert_true(madring_submit(fixture->ring) > 0);
	assert_true(fake_answer_all() > 0);
	do {
		assert_true(madring_submit(fixture->ring) >= 0);
		in_a_thread(run_elsewhere, fixture);
		assert_int_equal(outcomes.count, 0);
	} while (!madring_dispatch(fixture->ring, 1));
	assert_int_equal(outcomes.count, 1);
	fixture_finish(fixture);
	assert_int_equal(outcomes.count, COUNT);
	assert_int_equal(outcomes.last_status, 0);
}

struct sending {
	struct fixture *fixture;
	struct madring_mad *mad;
	uint64_t id;
};

static void *send_elsewhere(void *context)
{
	struct sending *sending = context;
	struct fixture *fixture = sending->fixture;
	struct madring_completion completion;

	errno = 0;
	assert_null(madring_mad_alloc(fixture->agent));
	assert_int_equal(errno, EREMOTE);
	errno = 0;
	assert_null(madring_mad_alloc_large(fixture->agent));
	assert_int_equal(errno, EREMOTE);
	errno = 0;
	assert_null(madring_mad_alloc_message(fixture->agent, 1000));
	assert_int_equal(errno, EREMOTE);
	assert_int_equal(madring_send(fixture->agent, sending->mad, NULL), -EREMOTE);
	assert_int_equal(madring_call(fixture->agent, sending->mad, NULL, &completion), -EREMOTE);
	assert_ptr_equal(completion.request, sending->mad);
	assert_int_equal(madring_cancel(fixture->ring, sending->id), -EREMOTE);
	assert_int_equal(madring_agent_cancel(fixture->agent), -EREMOTE);
	return NULL;
}

static void test_other_thread_cannot_send(void **state)
{
	struct fixture *fixture = *state;
	struct outcomes outcomes = { 0 };
	struct sending sending = { .fixture = fixture, .mad = fixture_request(fixture, 1, 0) };
	const struct madring_send_options options = {
		.callback = count_outcome,
		.user = &outcomes,
		.id = &sending.id,
	};

	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 2, 0), &options), 0);
	in_a_thread(send_elsewhere, &sending);
	assert_int_equal(madring_outstanding(fixture->ring), 1);
	madring_mad_free(fixture->ring, sending.mad);
	fixture_finish(fixture);
	assert_int_equal(outcomes.count, 1);
	assert_int_equal(outcomes.last_status, 0);
}

static void *open_elsewhere(void *context)
{
	const struct madring_agent_config config = { .mgmt_class = CLASS_SA, .class_version = 2 };
	struct fixture *fixture = context;
	struct madring_agent *agent;
	struct madring_port *port;

	assert_int_equal(madring_port_open(fixture->ring, NULL, 0, NULL, &port), -EREMOTE);
	assert_int_equal(madring_port_close(fixture->port), -EREMOTE);
	assert_int_equal(madring_agent_open(fixture->port, &config, &agent), -EREMOTE);
	assert_int_equal(madring_agent_close(fixture->agent), -EREMOTE);
	assert_int_equal(madring_capture_open(fixture->ring, "/dev/null", NULL), -EREMOTE);
	assert_int_equal(madring_capture_close(fixture->ring), -EREMOTE);
	return NULL;
}

static void test_other_thread_cannot_open_or_close(void **state)
{
	struct fixture *fixture = *state;
	unsigned int lanes = fake_lanes();

	in_a_thread(open_elsewhere, fixture);
	assert_int_equal(fake_lanes(), lanes);
	assert_int_equal(madring_capture_open(fixture->ring, "/dev/null", NULL), 0);
	in_a_thread(open_elsewhere, fixture);
	assert_int_equal(madring_capture_close(fixture->ring), 0);
}

static int write_nothing(void *user, struct madring_batch *batch, struct madring_mad *mad,
			 struct madring_send_options *send)
{
	return MADRING_BATCH_FINISHED;
}

static void ignore_outcome(void *user, const struct madring_completion *completion)
{
}

static const struct madring_batch_config batch_config = {
	.next = write_nothing,
	.done = ignore_outcome,
};

struct batch {
	struct madring_agent *agent;
	struct madring_batch *batch;
};

static void *run_batch_elsewhere(void *context)
{
	struct batch *batch = context;
	struct madring_batch *other;

	assert_int_equal(madring_batch_start(batch->agent, &batch_config, &other), -EREMOTE);
	assert_int_equal(madring_batch_call(batch->agent, &batch_config), -EREMOTE);
	assert_int_equal(madring_batch_run(batch->batch), -EREMOTE);
	assert_int_equal(madring_batch_cancel(batch->batch), -EREMOTE);
	assert_int_equal(madring_batch_end(batch->batch), -EREMOTE);
	return NULL;
}

static void test_other_thread_cannot_start_a_batch(void **state)
{
	struct fixture *fixture = *state;
	struct batch batch = { .agent = fixture->agent };
	struct madring_batch_state now;

	assert_int_equal(madring_batch_start(fixture->agent, &batch_config, &batch.batch), 0);
	in_a_thread(run_batch_elsewhere, &batch);
	madring_batch_get_state(batch.batch, &now);
	assert_false(now.canceled);
	assert_int_equal(madring_batch_run(batch.batch), 0);
	assert_int_equal(madring_batch_end(batch.batch), 0);
}

static void *wake_elsewhere(void *context)
{
	assert_int_equal(madring_wake(context), 0);
	return NULL;
}

static void test_other_thread_may_wake_the_ring(void **state)
{
	struct fixture *fixture = *state;
	struct outcomes outcomes = { 0 };

	fixture_send(fixture, 1, &outcomes);
	in_a_thread(wake_elsewhere, fixture->ring);
	assert_int_equal(madring_run(fixture->ring, -1), 0);
	fixture_finish(fixture);
}

struct closing {
	struct fixture fixture;
	struct outcomes outcomes;
};

/* The callbacks of closing may send, and are refused as in the ring's thread. */
static void send_when_closed(const struct madring_completion *completion)
{
	struct closing *closing = completion->user;
	struct madring_completion counted = *completion;
	struct madring_mad *mad = fixture_request(&closing->fixture, 1, 0);

	assert_int_equal(madring_send(completion->agent, mad, NULL), -ESHUTDOWN);
	madring_mad_free(closing->fixture.ring, mad);
	counted.user = &closing->outcomes;
	count_outcome(&counted);
}

static void *close_elsewhere(void *context)
{
	struct closing *closing = context;

	assert_int_equal(madring_close(closing->fixture.ring), -EREMOTE);
	return NULL;
}

static void test_other_thread_may_close_the_ring(void **state)
{
	struct closing closing = { 0 };
	const struct madring_send_options options = {
		.callback = send_when_closed,
		.user = &closing,
	};

	fixture_open(&closing.fixture, NULL, &fixture_patient);
	for (unsigned int i = 0; i < COUNT; i++) {
		struct madring_mad *mad = fixture_request(&closing.fixture, 1, i);

		assert_int_equal(madring_send(closing.fixture.agent, mad, &options), 0);
	}
	assert_true(madring_submit(closing.fixture.ring) > 0);
	in_a_thread(close_elsewhere, &closing);
	assert_int_equal(closing.outcomes.count, COUNT);
	assert_int_equal(closing.outcomes.last_status, -ECANCELED);
	assert_int_equal(fake_lanes(), 0);
	assert_int_equal(fake_agents(), 0);
	fake_reset(0, 0);
}

static const struct CMUnitTest tests[] = {
	PATIENT_TEST(test_other_thread_cannot_run_the_ring),
	PATIENT_TEST(test_other_thread_cannot_send),
	PATIENT_TEST(test_other_thread_cannot_open_or_close),
	PATIENT_TEST(test_other_thread_cannot_start_a_batch),
	PATIENT_TEST(test_other_thread_may_wake_the_ring),
	cmocka_unit_test(test_other_thread_may_close_the_ring),
};

TEST_MAIN(tests, NULL, NULL)
