/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A write or read that fails while the device is there is never taken for the device's removal. A
 * send that would go wrong is refused with an errno of its own, and leaves the buffer to the
 * caller.
 */
#include "library_fixture.h"
#include "verdicts.h"

#include <errno.h>

#include "api/handles.h"
#include "device/device.h"
#include "driver/driver_state.h"

/* Opens a ring with one lane, and an agent that has all its requests in flight at once. */
static void open_one_lane(struct fixture *fixture)
{
	const struct madring_config config = { .lanes = 1 };
	const struct madring_agent_config agent = {
		.timeout_ms = 60000,
		.window = 1024,
		.pin_window = true,
		.flow_window = 1024,
	};

	fixture_open(fixture, &config, &agent);
}

static void expect_answers(struct fixture *fixture, unsigned int count)
{
	struct outcomes outcomes = { 0 };

	fixture_send(fixture, count, &outcomes);
	fixture_finish(fixture);
	assert_int_equal(outcomes.count, count);
	assert_int_equal(outcomes.last_status, 0);
}

static void test_a_write_that_is_refused_fails_alone(void **state)
{
	static const int errors[] = { -EIO, -ENODEV, -EPIPE, -ENXIO };
	struct madring_stats stats;
	struct fixture fixture;

	open_one_lane(&fixture);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct outcomes outcomes = { 0 };

		verdicts_fail_writes(1, errors[i]);
		fixture_send(&fixture, 1, &outcomes);
		fixture_wait(&fixture, &outcomes, 1);
		assert_int_equal(outcomes.last_status, errors[i]);
		/* The socket has taken the request all the same. */
		fake_answer_all();
		expect_answers(&fixture, 100);
	}
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.unmatched, 4);
	fixture_close(&fixture);
}

static struct madring_agent *open_with_rmpp(struct fixture *fixture)
{
	const struct madring_agent_config config = {
		.mgmt_class = CLASS_SA,
		.class_version = 2,
		.rmpp = MADRING_RMPP_KERNEL,
		.timeout_ms = 60000,
	};
	struct madring_agent *agent;

	assert_int_equal(madring_agent_open(fixture->port, &config, &agent), 0);
	return agent;
}

/* The kernel numbers the first agent on a lane 0, and the second 1. */
static void test_an_agent_that_is_not_registered(void **state)
{
	struct outcomes outcomes = { 0 };
	const struct madring_send_options send = {
		.callback = count_outcome,
		.user = &outcomes,
		.length = 5000,
	};
	struct madring_agent *agent;
	struct madring_mad *mad;
	struct fixture fixture;

	open_one_lane(&fixture);
	agent = open_with_rmpp(&fixture);
	device_agent_unregister(fake_lane_fd(0), 1);
	mad = madring_mad_alloc_message(agent, 5000);
	assert_non_null(mad);
	madring_sa_prepare(mad, 1, 0, MADRING_GET, 0x11, 0, 0);
	madring_rmpp_prepare(mad);
	assert_int_equal(madring_send(agent, mad, &send), 0);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(outcomes.last_status, -EIO);
	expect_answers(&fixture, 100);
	device_agent_unregister(fake_lane_fd(0), 0);
	fixture_send(&fixture, 10, &outcomes);
	fixture_wait(&fixture, &outcomes, 11);
	assert_int_equal(outcomes.last_status, -EIO);
	fixture_close(&fixture);
}

static void test_a_read_that_fails_is_made_again(void **state)
{
	static const int errors[] = { -ENOMEM, -EIO, -ENODEV, -EFAULT };
	struct fixture fixture;

	open_one_lane(&fixture);
	expect_answers(&fixture, 100);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		assert_true(verdicts_end_read(fixture.ring, errors[i]));
		expect_answers(&fixture, 100);
	}
	fixture_close(&fixture);
}

static void test_a_poll_that_fails_is_made_again(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_one_lane(&fixture);
	assert_true(verdicts_end_poll(fixture.ring, -ENOMEM));
	expect_answers(&fixture, 100);
	/* The next poll can be ended as well. */
	while (!verdicts_end_poll(fixture.ring, -ENOMEM))
		expect_answers(&fixture, 1);
	fake_remove();
	fixture_send(&fixture, 1, &outcomes);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(outcomes.last_status, -ENODEV);
	fixture_close(&fixture);
}

/* The driver alone knows that there is a read left to repeat. */
static void test_an_event_loop_reads_again(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_one_lane(&fixture);
	fixture_send(&fixture, 1, &outcomes);
	assert_true(madring_fd(fixture.ring) >= 0);
	assert_true(madring_step(fixture.ring) >= 0);
	assert_true(verdicts_end_read(fixture.ring, -ENOMEM));
	assert_true(madring_step(fixture.ring) >= 0);
	assert_int_equal(fake_answer_all(), 1);
	while (!outcomes.count) {
		fixture_wait_readable(&fixture);
		assert_true(madring_step(fixture.ring) >= 0);
	}
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

static void expect_refusal(struct fixture *fixture, struct madring_mad *mad, int error)
{
	struct madring_completion completion;

	assert_int_equal(madring_send(fixture->agent, mad, NULL), error);
	assert_int_equal(madring_call(fixture->agent, mad, NULL, &completion), error);
	assert_ptr_equal(completion.request, mad);
	assert_null(completion.mad);
	assert_int_equal(madring_outstanding(fixture->ring), 0);
}

static void test_unprepared_mads_are_refused(void **state)
{
	struct fixture *fixture = *state;
	struct madring_mad *mad = madring_mad_alloc(fixture->agent);
	const struct madring_grh grh = { .hop_limit = 1 };

	expect_refusal(fixture, mad, -ENODATA);
	madring_gmp_prepare(mad, 0, MADRING_GET, MADRING_ATTR_NODE_RECORD, 0);
	expect_refusal(fixture, mad, -EDESTADDRREQ);
	madring_smp_prepare(mad, 7, MADRING_GET, MADRING_ATTR_NODE_INFO, 0);
	expect_refusal(fixture, mad, -EPFNOSUPPORT);
	/* The caller still owns a buffer that was refused, and may send it. */
	madring_sa_prepare(mad, 0, 0, MADRING_GET, MADRING_ATTR_NODE_RECORD, 0, 0);
	madring_mad_set_grh(mad, &grh);
	assert_int_equal(madring_send(fixture->agent, mad, NULL), 0);
	fixture_finish(fixture);
}

/* The kernel registers the methods of both classes at once. */
static void test_both_classes_of_smps_go_by_one_agent(void **state)
{
	static const uint8_t route[] = { 0, 1 };
	struct fixture *fixture = *state;
	struct madring_mad *mad = madring_mad_alloc(fixture->agent);

	madring_sa_prepare(mad, 7, 0, MADRING_GET, MADRING_ATTR_NODE_RECORD, 0, 0);
	expect_refusal(fixture, mad, -EPFNOSUPPORT);
	madring_smp_prepare(mad, 7, MADRING_GET, MADRING_ATTR_NODE_INFO, 0);
	assert_int_equal(madring_send(fixture->agent, mad, NULL), 0);
	mad = madring_mad_alloc(fixture->agent);
	assert_int_equal(
		madring_smp_dr_prepare(mad, route, 1, MADRING_GET, MADRING_ATTR_NODE_INFO, 0), 0);
	assert_int_equal(madring_send(fixture->agent, mad, NULL), 0);
	fixture_finish(fixture);
}

static void test_buffers_of_others_are_refused(void **state)
{
	uint64_t foreign[64] = { 0 };
	struct fixture *fixture = *state;
	struct madring_mad *mad = fixture_request(fixture, 1, 0);
	struct madring_stats stats;

	assert_int_equal(madring_send(fixture->agent, mad, NULL), 0);
	assert_int_equal(madring_send(fixture->agent, mad, NULL), -EALREADY);
	fixture_finish(fixture);
	assert_int_equal(madring_send(fixture->agent, mad, NULL), -EALREADY);
	expect_refusal(fixture, (struct madring_mad *)foreign, -EFAULT);
	expect_refusal(fixture, NULL, -EFAULT);
	mad = fixture_request(fixture, 1, 0);
	expect_refusal(fixture, (struct madring_mad *)((uint8_t *)mad + 64), -EFAULT);
	madring_mad_free(fixture->ring, mad);
	expect_refusal(fixture, mad, -EALREADY);
	madring_get_stats(fixture->ring, &stats);
	assert_int_equal(stats.pool_plain_in_use, 256);
	assert_int_equal(stats.accepted, 1);
}

static void test_messages_of_others_are_refused(void **state)
{
	const struct madring_agent_config agent = {
		.mgmt_class = CLASS_SA,
		.class_version = 2,
		.rmpp = MADRING_RMPP_KERNEL,
		.timeout_ms = 60000,
	};
	const struct madring_send_options send = { .length = 5000 };
	struct madring_mad *mad;
	struct fixture fixture;

	fixture_open(&fixture, NULL, &agent);
	mad = madring_mad_alloc_message(fixture.agent, 5000);
	assert_non_null(mad);
	assert_int_equal(madring_send(fixture.agent, mad, &send), -ENODATA);
	madring_sa_prepare(mad, 1, 0, MADRING_GET, MADRING_ATTR_NODE_RECORD, 0, 0);
	madring_rmpp_prepare(mad);
	assert_int_equal(
		madring_send(fixture.agent, (struct madring_mad *)((uint8_t *)mad + 8), &send),
		-EFAULT);
	assert_int_equal(
		madring_send(fixture.agent, (struct madring_mad *)((uint8_t *)mad + 64), &send),
		-EALREADY);
	assert_int_equal(madring_send(fixture.agent, mad, &send), 0);
	assert_int_equal(madring_send(fixture.agent, mad, &send), -EALREADY);
	fixture_close(&fixture);
}

struct second_send {
	struct madring_agent *agent;
	struct madring *ring;
	int without_keep, with_keep;
};

static void send_again(const struct madring_completion *completion)
{
	struct second_send *second = completion->user;
	struct madring_mad *mad = completion->request;

	second->without_keep = madring_send(second->agent, mad, NULL);
	assert_int_equal(madring_mad_keep(second->ring, mad), 0);
	second->with_keep = madring_send(second->agent, mad, NULL);
}

static void test_a_callback_keeps_before_it_sends(void **state)
{
	struct fixture *fixture = *state;
	struct second_send second = { .agent = fixture->agent, .ring = fixture->ring };
	const struct madring_send_options send = { .callback = send_again, .user = &second };

	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 1, 0), &send), 0);
	fixture_finish(fixture);
	assert_int_equal(second.without_keep, -EALREADY);
	assert_int_equal(second.with_keep, 0);
}

static void test_an_agent_without_a_version(void **state)
{
	const struct madring_agent_config config = { .mgmt_class = CLASS_SA };
	struct fixture *fixture = *state;
	struct madring_agent *agent;

	assert_int_equal(madring_agent_open(fixture->port, &config, &agent), -EBADRQC);
}

/* Tells whether the rings of these tests use plain system calls. */
static bool is_plain(void)
{
	struct fixture fixture;
	bool plain;

	open_one_lane(&fixture);
	plain = !fixture.ring->driver->uring;
	fixture_close(&fixture);
	return plain;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_write_that_is_refused_fails_alone),
		cmocka_unit_test(test_an_agent_that_is_not_registered),
		cmocka_unit_test(test_a_read_that_fails_is_made_again),
		cmocka_unit_test(test_an_event_loop_reads_again),
		PATIENT_TEST(test_unprepared_mads_are_refused),
		SMP_TEST(test_both_classes_of_smps_go_by_one_agent),
		PATIENT_TEST(test_buffers_of_others_are_refused),
		cmocka_unit_test(test_messages_of_others_are_refused),
		PATIENT_TEST(test_a_callback_keeps_before_it_sends),
		PATIENT_TEST(test_an_agent_without_a_version),
	};
	/* Plain system calls leave no poll under way. */
	const struct CMUnitTest tests_of_polls[] = {
		cmocka_unit_test(test_a_poll_that_fails_is_made_again),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (!is_plain())
		failed += cmocka_run_group_tests(tests_of_polls, NULL, NULL);
	return failed;
}
