/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests that wait for their agents: bounds, turns, and full lanes. */
#include "cmocka_all.h"

#include <errno.h>

#include <madring/names.h>

#include "engine_fixture.h"

#define LIMIT 4
#define SLACK 3

static struct buffer buffers[16];

static unsigned int open_agent(struct engine *engine, unsigned int lane, uint32_t agent_id)
{
	struct engine_agent_config config = fixture_agent();
	int number;

	config.inbox = LIMIT;
	config.inbox_slack = SLACK;
	config.lane[0].lane = lane;
	config.lane[0].agent_id = agent_id;
	number = engine_agent_open(engine, &config);
	assert_true(number >= 0);
	return (unsigned int)number;
}

static enum engine_receive receive(struct engine *engine, unsigned int lane, uint32_t agent_id,
				   unsigned int buffer)
{
	fixture_request(&buffers[buffer], 1, (uint16_t)buffer);
	buffers[buffer].umad.agent_id = agent_id;
	return engine_receive(engine, lane, &buffers[buffer].umad, sizeof(buffers[buffer]), 0);
}

static void expect(struct engine *engine, unsigned int agent, unsigned int buffer)
{
	struct engine_received received;

	assert_true(engine_next_request(engine, &received));
	assert_int_equal(received.agent, agent);
	assert_ptr_equal(received.umad, &buffers[buffer].umad);
	assert_int_equal(received.length, MADRING_MAD_BYTES);
	assert_int_equal(received.status, 0);
}

static void test_inbox_has_a_bound(void **state)
{
	struct engine *engine = fixture_open(16, MS, 0);
	unsigned int agent = open_agent(engine, 0, 5);
	struct engine_received received;

	for (unsigned int i = 0; i < LIMIT + SLACK + 1; i++) {
		assert_int_equal(engine_lane_is_full(engine, 0), i >= LIMIT);
		assert_int_equal(receive(engine, 0, 5, i), ENGINE_REQUEST);
	}
	assert_int_equal(receive(engine, 0, 5, 15), ENGINE_UNSOLICITED);
	assert_int_equal(engine_requests(engine), LIMIT + SLACK + 1);
	assert_int_equal(engine_stats(engine)->requests_left, 1);
	for (unsigned int i = 0; i < LIMIT + SLACK + 1; i++) {
		assert_int_equal(engine_lane_is_full(engine, 0), i < LIMIT / 2 + SLACK + 1);
		expect(engine, agent, i);
	}
	assert_false(engine_next_request(engine, &received));
	/* The loop makes the ring wrap many times. */
	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(receive(engine, 0, 5, i % 16), ENGINE_REQUEST);
		expect(engine, agent, i % 16);
	}
	assert_int_equal(engine_stats(engine)->requests_left, 1);
	assert_int_equal(engine_stats(engine)->requests, LIMIT + SLACK + 101);
	engine_close(engine);
}

static void test_agents_take_turns(void **state)
{
	struct engine *engine = fixture_open(16, MS, 0);
	unsigned int one = open_agent(engine, 0, 5), other = open_agent(engine, 0, 31);

	for (unsigned int i = 0; i < 3; i++)
		assert_int_equal(receive(engine, 0, 5, i), ENGINE_REQUEST);
	for (unsigned int i = 3; i < 5; i++)
		assert_int_equal(receive(engine, 0, 31, i), ENGINE_REQUEST);
	expect(engine, one, 0);
	expect(engine, other, 3);
	expect(engine, one, 1);
	expect(engine, other, 4);
	expect(engine, one, 2);
	engine_close(engine);
}

/* A lane is full while the queue of any of its agents is. */
static void test_a_lane_is_full_for_all(void **state)
{
	struct engine *engine = fixture_open(16, MS, 0);
	unsigned int one = open_agent(engine, 0, 5), other = open_agent(engine, 0, 6);
	struct engine_received received;

	engine_lane_open(engine, 1);
	open_agent(engine, 1, 5);
	for (unsigned int i = 0; i < LIMIT; i++) {
		receive(engine, 0, 5, i);
		receive(engine, 0, 6, LIMIT + i);
	}
	assert_true(engine_lane_is_full(engine, 0));
	assert_false(engine_lane_is_full(engine, 1));
	while (engine_drop_request(engine, one, &received))
		assert_int_equal(received.agent, one);
	engine_agent_close(engine, one);
	assert_true(engine_lane_is_full(engine, 0));
	assert_int_equal(engine_stats(engine)->unsolicited, LIMIT);
	assert_int_equal(receive(engine, 0, 5, 0), ENGINE_UNSOLICITED);
	for (unsigned int i = 0; i < LIMIT; i++)
		expect(engine, other, LIMIT + i);
	assert_false(engine_lane_is_full(engine, 0));
	engine_close(engine);
}

static void test_the_lane_is_lost(void **state)
{
	struct engine *engine = fixture_open(16, MS, 0);
	unsigned int agent = open_agent(engine, 0, 5);
	struct engine_received received;

	assert_int_equal(engine_receivers(engine), 1);
	for (unsigned int i = 0; i < LIMIT + SLACK; i++)
		receive(engine, 0, 5, i);
	engine_lane_lost(engine, 0);
	engine_lane_lost(engine, 0);
	assert_int_equal(engine_receivers(engine), 0);
	for (unsigned int i = 0; i < LIMIT + SLACK; i++)
		expect(engine, agent, i);
	assert_true(engine_next_request(engine, &received));
	assert_null(received.umad);
	assert_int_equal(received.status, -ENODEV);
	assert_int_equal(received.agent, agent);
	assert_false(engine_next_request(engine, &received));
	assert_int_equal(engine_stats(engine)->requests, LIMIT + SLACK);
	engine_agent_close(engine, agent);
	assert_int_equal(engine_receivers(engine), 0);
	engine_close(engine);
}

static void test_inbox_closes_with_the_engine(void **state)
{
	struct engine *engine = fixture_open(16, MS, 0);

	open_agent(engine, 0, 5);
	receive(engine, 0, 5, 0);
	engine_close(engine);
}

/*
 * The kernel gives the number of a closed agent to the next one, and still delivers what has come
 * for it before.
 */
static void test_request_of_another_class_is_unsolicited(void **state)
{
	struct engine *engine = fixture_open(16, MS, 0);
	struct engine_agent_config config = fixture_agent();
	struct engine_received received;
	int number;

	config.inbox = LIMIT;
	config.mgmt_class = MADRING_CLASS_SA;
	number = engine_agent_open(engine, &config);
	assert_int_equal(receive(engine, 0, 5, 0), ENGINE_UNSOLICITED);
	assert_int_equal(engine_receive_cut(engine, 0, &buffers[0].umad, sizeof(buffers[0])),
			 ENGINE_UNSOLICITED);
	assert_int_equal(engine_stats(engine)->unsolicited, 2);
	assert_false(engine_next_request(engine, &received));
	fixture_request(&buffers[1], 1, 1);
	buffers[1].umad.agent_id = 5;
	buffers[1].mad[1] = MADRING_CLASS_SA;
	assert_int_equal(fixture_receive(engine, &buffers[1], 0), ENGINE_REQUEST);
	expect(engine, (unsigned int)number, 1);
	engine_agent_close(engine, (unsigned int)number);
	/* An agent of one class of SMPs receives those of the other. */
	config.mgmt_class = MADRING_CLASS_SMP;
	number = engine_agent_open(engine, &config);
	assert_int_equal(receive(engine, 0, 5, 0), ENGINE_UNSOLICITED);
	buffers[1].mad[1] = MADRING_CLASS_SMP_DIRECTED;
	assert_int_equal(fixture_receive(engine, &buffers[1], 0), ENGINE_REQUEST);
	expect(engine, (unsigned int)number, 1);
	engine_close(engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_inbox_has_a_bound),
	cmocka_unit_test(test_agents_take_turns),
	cmocka_unit_test(test_a_lane_is_full_for_all),
	cmocka_unit_test(test_the_lane_is_lost),
	cmocka_unit_test(test_inbox_closes_with_the_engine),
	cmocka_unit_test(test_request_of_another_class_is_unsolicited),
};

TEST_MAIN(tests, NULL, NULL)
