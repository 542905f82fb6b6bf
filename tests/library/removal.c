/* SPDX-License-Identifier: BSD-2-Clause */
/* The device goes away, or never was. */
#include "by_thread.h"
#include "library_fixture.h"

#include <errno.h>
#include <poll.h>

#define REMOVALS 100u

static void test_all_in_flight_end_when_the_device_goes(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_mad *mad;
	struct madring_stats stats;
	struct fixture *fixture = *state;

	fixture_send(fixture, 1000, &outcomes);
	assert_true(madring_submit(fixture->ring) > 0);
	fake_remove();
	fixture_wait(fixture, &outcomes, 1000);
	assert_int_equal(outcomes.last_status, -ENODEV);
	madring_get_stats(fixture->ring, &stats);
	assert_int_equal(stats.device_gone, 1000);
	mad = fixture_request(fixture, 1, 0);
	assert_int_equal(madring_send(fixture->agent, mad, NULL), -ENODEV);
	madring_mad_free(fixture->ring, mad);
}

static void test_idle_event_loop_learns_of_removal(void **state)
{
	struct pollfd ready = { .events = POLLIN };
	struct fixture *fixture = *state;
	struct madring_mad *mad;
	int error;

	ready.fd = madring_fd(fixture->ring);
	assert_true(ready.fd >= 0);
	do
		assert_int_equal(madring_step(fixture->ring), 0);
	while (poll(&ready, 1, 0));
	fake_remove();
	/* A thread of the kernel's may tell of one lane after the other. */
	do {
		assert_int_equal(poll(&ready, 1, 10000), 1);
		assert_true(madring_step(fixture->ring) >= 0);
		mad = fixture_request(fixture, 1, 0);
		error = madring_send(fixture->agent, mad, NULL);
	} while (by_thread() && !error);
	assert_int_equal(error, -ENODEV);
	madring_mad_free(fixture->ring, mad);
	fixture_drain(fixture);
}

static uint64_t buffers_in_use(const struct madring *ring)
{
	struct madring_stats stats;

	madring_get_stats(ring, &stats);
	return stats.pool_plain_in_use;
}

static void test_removals_leave_nothing(void **state)
{
	const struct madring_agent_config agent = { .mgmt_class = CLASS_SA, .class_version = 2 };
	struct fixture *fixture = *state;
	uint64_t in_use;

	in_use = buffers_in_use(fixture->ring);
	for (unsigned int i = 0; i < REMOVALS; i++) {
		struct outcomes outcomes = { 0 };

		fixture_send(fixture, 20, &outcomes);
		assert_true(madring_submit(fixture->ring) > 0);
		fake_remove();
		fixture_wait(fixture, &outcomes, 20);
		assert_int_equal(outcomes.last_status, -ENODEV);
		assert_int_equal(madring_port_close(fixture->port), 0);
		assert_int_equal(fake_lanes(), 0);
		assert_int_equal(buffers_in_use(fixture->ring), in_use);
		fake_reset(0, 0);
		assert_int_equal(madring_port_open(fixture->ring, NULL, 0, NULL, &fixture->port),
				 0);
		assert_int_equal(madring_agent_open(fixture->port, &agent, &fixture->agent), 0);
	}
}

static void test_the_port_can_be_opened_again(void **state)
{
	const struct madring_agent_config agent = { .mgmt_class = CLASS_SA, .class_version = 2 };
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;

	fixture_send(fixture, 10, &outcomes);
	fake_remove();
	fixture_wait(fixture, &outcomes, 10);
	assert_int_equal(madring_port_close(fixture->port), 0);
	assert_int_equal(madring_port_open(fixture->ring, fake_name(), 1, NULL, &fixture->port),
			 -ENODEV);
	fake_come_back();
	assert_int_equal(madring_port_open(fixture->ring, fake_name(), 1, NULL, &fixture->port), 0);
	assert_int_equal(madring_agent_open(fixture->port, &agent, &fixture->agent), 0);
	fixture_send(fixture, 100, &outcomes);
	fixture_finish(fixture);
	assert_int_equal(outcomes.count, 110);
	assert_int_equal(outcomes.last_status, 0);
}

static void test_a_port_closes_with_all_in_flight(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;

	fixture_send(fixture, 300, &outcomes);
	madring_submit(fixture->ring);
	assert_int_equal(madring_port_close(fixture->port), 0);
	assert_int_equal(outcomes.count, 0);
	fixture_wait(fixture, &outcomes, 300);
	assert_int_equal(outcomes.last_status, -ECANCELED);
}

static void on_sending_again(const struct madring_completion *completion)
{
	struct fixture *fixture = completion->user;
	struct madring_mad *mad = fixture_request(fixture, 1, 0);

	assert_int_equal(completion->status, -ECANCELED);
	assert_int_equal(madring_send(fixture->agent, mad, NULL), -ESHUTDOWN);
	madring_mad_free(fixture->ring, mad);
}

static void test_a_ring_closes_with_all_in_flight(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct madring_send_options send = { .callback = on_sending_again, .user = &fixture };

	fixture_open(&fixture, NULL, NULL);
	madring_send(fixture.agent, fixture_request(&fixture, 1, 0), &send);
	fixture_send(&fixture, 500, &outcomes);
	madring_submit(fixture.ring);
	fixture_close(&fixture);
	assert_int_equal(outcomes.count, 500);
	assert_int_equal(outcomes.last_status, -ECANCELED);
}

static void test_missing_ports_are_refused(void **state)
{
	struct madring_port *port;
	struct fixture *fixture = *state;

	assert_int_equal(madring_port_open(fixture->ring, "nothing0", 0, NULL, &port), -ENODEV);
	assert_int_equal(madring_port_open(fixture->ring, NULL, 2, NULL, &port), -ENXIO);
	assert_int_equal(madring_port_open(fixture->ring, fake_name(), 2, NULL, &port), -ENXIO);
}

static void test_failed_open_leaves_no_descriptor(void **state)
{
	const struct madring_agent_config agent = { .mgmt_class = CLASS_SA, .class_version = 2 };
	const struct madring_config config = { .transactions = 16, .reads = 64, .lanes = 3 };
	struct madring_agent *unused;
	struct madring_port *port;
	struct madring *ring;

	assert_int_equal(madring_open(&ring, &config), 0);
	fake_reset(-EACCES, 0);
	assert_int_equal(madring_port_open(ring, NULL, 0, NULL, &port), -EACCES);
	fake_reset(0, -EPROTONOSUPPORT);
	assert_int_equal(madring_port_open(ring, NULL, 0, NULL, &port), 0);
	assert_int_equal(fake_lanes(), 3);
	assert_int_equal(madring_agent_open(port, &agent, &unused), -EPROTONOSUPPORT);
	assert_int_equal(fake_agents(), 0);
	assert_int_equal(madring_close(ring), 0);
	assert_int_equal(fake_lanes(), 0);
	fake_reset(0, 0);
}

static void test_lanes_and_agents_have_their_limits(void **state)
{
	const struct madring_agent_config config = { .mgmt_class = CLASS_SA, .class_version = 2 };
	struct madring_port *port;
	struct madring_agent *agent;
	struct fixture fixture;

	fixture_open(&fixture, &(struct madring_config){ .lanes = 40, .agents = 2 }, NULL);
	assert_int_equal(madring_port_open(fixture.ring, NULL, 0, NULL, &port), -ENOSPC);
	assert_int_equal(madring_agent_open(fixture.port, &config, &agent), 0);
	assert_int_equal(madring_agent_open(fixture.port, &config, &agent), -ENOSPC);
	assert_int_equal(fake_agents(), 80);
	assert_int_equal(fake_lanes(), 40);
	fixture_close(&fixture);
}

/* The first port has many lanes, and some remain for a good number of others. */
static void test_every_port_gets_lanes(void **state)
{
	const uint32_t lanes[] = { 24, 15, 9, 6, 3, 2, 1, 1, 1, 1, 1 };
	const size_t count = sizeof(lanes) / sizeof(lanes[0]);
	struct madring_port *port = NULL;
	struct fixture *fixture = *state;
	uint32_t expected = lanes[0];

	for (size_t i = 1; i < count; i++) {
		assert_int_equal(fake_lanes(), expected);
		assert_int_equal(madring_port_open(fixture->ring, NULL, 0, NULL, &port), 0);
		expected += lanes[i];
	}
	assert_int_equal(fake_lanes(), MADRING_MAX_LANES);
	assert_int_equal(madring_port_open(fixture->ring, NULL, 0, NULL, &port), -ENOSPC);
}

/* A program with few requests in flight does not wait for lanes that it has no use for. */
static void test_few_requests_need_few_lanes(void **state)
{
	static const struct {
		struct madring_port_config config;
		uint32_t lanes;
	} cases[] = {
		{ { .in_flight = 1 }, 1 },
		{ { .in_flight = 32 }, 16 },
		{ { .in_flight = 8, .lanes = 3 }, 3 },
		{ { .in_flight = 33 }, 24 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct madring_port *port;
		struct madring *ring;

		fake_reset(0, 0);
		assert_int_equal(madring_open(&ring, NULL), 0);
		assert_int_equal(madring_port_open(ring, NULL, 0, &cases[i].config, &port), 0);
		assert_int_equal(fake_lanes(), cases[i].lanes);
		assert_int_equal(madring_close(ring), 0);
	}
}

static const struct CMUnitTest tests[] = {
	PATIENT_TEST(test_all_in_flight_end_when_the_device_goes),
	FIXTURE_TEST(test_idle_event_loop_learns_of_removal),
	FIXTURE_TEST(test_removals_leave_nothing),
	PATIENT_TEST(test_the_port_can_be_opened_again),
	FIXTURE_TEST(test_a_port_closes_with_all_in_flight),
	cmocka_unit_test(test_a_ring_closes_with_all_in_flight),
	FIXTURE_TEST(test_missing_ports_are_refused),
	cmocka_unit_test(test_few_requests_need_few_lanes),
	cmocka_unit_test(test_failed_open_leaves_no_descriptor),
	cmocka_unit_test(test_lanes_and_agents_have_their_limits),
	FIXTURE_TEST(test_every_port_gets_lanes),
};

TEST_MAIN(tests, NULL, NULL)
