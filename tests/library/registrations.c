/* SPDX-License-Identifier: BSD-2-Clause */
/* Agents of which the kernel puts only some requests on the wire at once. */
#include "library_fixture.h"

#define LIMIT 4u

static struct madring_agent_state state_of(const struct fixture *fixture)
{
	struct madring_agent_state state;

	madring_agent_get_state(fixture->agent, &state);
	return state;
}

/* Opens a ring with two lanes, and an agent whose windows are pinned to @window. */
static void open_pinned(struct fixture *fixture, uint32_t window)
{
	const struct madring_config config = { .lanes = 2, .transactions = 1024 };
	const struct madring_agent_config agent = {
		.mgmt_class = CLASS_SA,
		.class_version = 2,
		.timeout_ms = 60000,
		.window = window,
		.pin_window = true,
		.flow_window = 1024,
		.pin_flow_window = true,
	};

	fixture_open(fixture, &config, &agent);
	assert_int_equal(state_of(fixture).kernel_limit, 0);
	assert_int_equal(madring_agent_close(fixture->agent), 0);
	/* Opening the fixture has reset the device. */
	fake_limit_requests(LIMIT);
	assert_int_equal(madring_agent_open(fixture->port, &agent, &fixture->agent), 0);
}

/* A pinned window has as many registrations as it needs, and all requests are on the wire. */
static void test_as_many_as_the_window_needs(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_pinned(&fixture, 5 * LIMIT - 1);
	assert_int_equal(fake_agents(), 5);
	assert_int_equal(state_of(&fixture).registrations, 5);
	assert_int_equal(state_of(&fixture).kernel_limit, LIMIT);
	fixture_send(&fixture, 30, &outcomes);
	madring_submit(fixture.ring);
	assert_int_equal(state_of(&fixture).kernel_held, 5 * LIMIT - 1);
	assert_int_equal(state_of(&fixture).in_flight, 5 * LIMIT - 1);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 30);
	assert_int_equal(outcomes.last_status, 0);
	assert_int_equal(state_of(&fixture).kernel_held, 0);
	fixture_close(&fixture);
}

/* Some places of the files stay for other agents, and what has no room waits. */
static void test_no_more_than_the_lanes_take(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_agent *other;
	struct fixture fixture;
	const struct madring_agent_config config = { .mgmt_class = 4, .class_version = 1 };

	open_pinned(&fixture, 1000);
	assert_int_equal(state_of(&fixture).registrations, 2 * 13);
	assert_int_equal(madring_agent_open(fixture.port, &config, &other), 0);
	fixture_send(&fixture, 200, &outcomes);
	madring_submit(fixture.ring);
	assert_int_equal(state_of(&fixture).in_flight, 26 * LIMIT);
	assert_int_equal(state_of(&fixture).queued, 200 - 26 * LIMIT);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 200);
	assert_int_equal(madring_agent_close(fixture.agent), 0);
	assert_int_equal(fake_agents(), 2);
	fixture_close(&fixture);
}

/* An agent that closes gives its places back. */
static void test_places_are_given_back(void **state)
{
	struct madring_agent_config config = {
		.mgmt_class = CLASS_SA,
		.class_version = 2,
		.window = 1000,
		.pin_window = true,
	};
	struct madring_agent *second, *third;
	struct madring_agent_state info;
	struct fixture fixture;

	open_pinned(&fixture, 1000);
	assert_int_equal(madring_agent_open(fixture.port, &config, &second), 0);
	madring_agent_get_state(second, &info);
	assert_int_equal(info.registrations, 2);
	assert_int_equal(madring_agent_close(fixture.agent), 0);
	assert_int_equal(madring_agent_open(fixture.port, &config, &third), 0);
	madring_agent_get_state(third, &info);
	assert_int_equal(info.registrations, 2 * 13);
	/* A window that is not pinned needs none. */
	config.pin_window = false;
	assert_int_equal(madring_agent_close(third), 0);
	assert_int_equal(madring_agent_open(fixture.port, &config, &third), 0);
	madring_agent_get_state(third, &info);
	assert_int_equal(info.registrations, 2);
	fixture_close(&fixture);
}

static void never_called(const struct madring_received *received)
{
	fail();
}

/* The further registrations of an agent with methods have none, and are on the same lane. */
static void test_agent_with_methods(void **state)
{
	const struct madring_agent_config config = {
		.mgmt_class = CLASS_SA,
		.class_version = 2,
		.window = 3 * LIMIT,
		.pin_window = true,
		.method_mask[0] = 1 << MADRING_GET,
		.receive = never_called,
	};
	struct madring_agent_state info;
	struct madring_agent *agent;
	struct fixture fixture;

	open_pinned(&fixture, LIMIT);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(madring_agent_open(fixture.port, &config, &agent), 0);
		madring_agent_get_state(agent, &info);
		assert_int_equal(info.registrations, 3);
		assert_int_equal(fake_agents(), 2 + 3);
		assert_int_equal(madring_agent_close(agent), 0);
	}
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_as_many_as_the_window_needs),
	cmocka_unit_test(test_no_more_than_the_lanes_take),
	cmocka_unit_test(test_places_are_given_back),
	cmocka_unit_test(test_agent_with_methods),
};

TEST_MAIN(tests, NULL, NULL)
