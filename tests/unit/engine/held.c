/* SPDX-License-Identifier: BSD-2-Clause */
/* The requests that the kernel holds: how many are written, what waits, and what makes room. */
#include "cmocka_all.h"

#include <errno.h>
#include <string.h>

#include "engine_fixture.h"

#define LIMIT	 4u
#define REQUESTS 16u

static struct buffer request[REQUESTS];

/* Opens an agent that waits 100 ms for each reply, and makes one attempt. */
static unsigned int open_agent(struct engine *engine, uint32_t limit, unsigned int attempts)
{
	struct engine_agent_config config = fixture_agent();
	int agent;

	config.kernel_limit = limit;
	config.pin_window = config.pin_flow_window = config.pin_timeout = true;
	config.flow_window = 4096;
	config.first_timeout_ns = 100 * MS;
	config.attempts = attempts;
	agent = engine_agent_open(engine, &config);
	assert_true(agent >= 0);
	return (unsigned int)agent;
}

static void ask(struct engine *engine, unsigned int agent, unsigned int first, unsigned int count)
{
	for (unsigned int i = first; i < first + count; i++) {
		fixture_request(&request[i], (uint16_t)(1 + i), 0x12);
		fixture_send(engine, agent, &request[i]);
	}
}

/* Takes the writes that there are. Returns how many. */
static unsigned int write_all(struct engine *engine, uint64_t now)
{
	struct engine_write write;
	unsigned int count = 0;

	while (engine_next_write(engine, now, &write)) {
		engine_write_done(engine, write.id, 0, now);
		count++;
	}
	engine_check(engine);
	return count;
}

static struct engine_agent_state state_of(const struct engine *engine, unsigned int agent)
{
	struct engine_agent_state state;

	engine_agent_state(engine, agent, &state);
	return state;
}

/* Gives a request back as the kernel does when its timeout has passed. */
static void notice(struct engine *engine, const struct ib_user_mad *umad, uint64_t now)
{
	struct buffer copy;

	memcpy(&copy, umad, sizeof(copy));
	copy.umad.status = ETIMEDOUT;
	assert_int_equal(engine_receive(engine, 0, &copy.umad, sizeof(copy.umad) + 24, now),
			 ENGINE_NOTICE);
	engine_check(engine);
}

static void expect_status(struct engine *engine, int status)
{
	struct engine_completion completion;

	assert_true(engine_next_completion(engine, &completion));
	assert_int_equal(completion.status, status);
}

static void test_the_rest_waits_without_a_timer(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	unsigned int agent = open_agent(engine, LIMIT, 1);
	struct engine_completion completion;
	struct buffer reply;

	ask(engine, agent, 0, 10);
	assert_int_equal(write_all(engine, MS), LIMIT);
	assert_false(engine_wants_write(engine));
	assert_int_equal(state_of(engine, agent).kernel_limit, LIMIT);
	assert_int_equal(state_of(engine, agent).kernel_held, LIMIT);
	assert_int_equal(state_of(engine, agent).in_flight, LIMIT);
	assert_int_equal(state_of(engine, agent).queued, 6);
	/* The reply makes room. What takes it begins to wait only now. */
	fixture_reply(&reply, &request[1].umad);
	assert_int_equal(fixture_receive(engine, &reply, 90 * MS), ENGINE_REPLY);
	assert_true(engine_next_completion(engine, &completion));
	assert_int_equal(completion.rtt_ns, 89 * MS);
	assert_int_equal(write_all(engine, 90 * MS), 1);
	engine_advance(engine, 101 * MS);
	assert_int_equal(state_of(engine, agent).in_flight, 1);
	fixture_reply(&reply, &request[4].umad);
	assert_int_equal(fixture_receive(engine, &reply, 105 * MS), ENGINE_REPLY);
	while (engine_next_completion(engine, &completion))
		if (completion.user == &request[4])
			assert_int_equal(completion.rtt_ns, 15 * MS);
	engine_close(engine);
}

/* Neither the windows nor the timeout of others counts what the kernel still has. */
static void test_given_up_attempts_are_held(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	unsigned int agent = open_agent(engine, 2, 1);
	struct buffer reply;

	ask(engine, agent, 0, 5);
	assert_int_equal(write_all(engine, MS), 2);
	engine_advance(engine, 101 * MS);
	expect_status(engine, -ETIMEDOUT);
	expect_status(engine, -ETIMEDOUT);
	assert_int_equal(state_of(engine, agent).in_flight, 0);
	assert_int_equal(state_of(engine, agent).kernel_held, 2);
	assert_int_equal(write_all(engine, 101 * MS), 0);
	notice(engine, &request[0].umad, 102 * MS);
	assert_int_equal(write_all(engine, 102 * MS), 1);
	/* A second notice of the same attempt, and one of an attempt that never was. */
	notice(engine, &request[0].umad, 102 * MS);
	notice(engine, &request[9].umad, 102 * MS);
	assert_int_equal(write_all(engine, 102 * MS), 0);
	/* The late reply is nobody's any more, but the kernel has let it through. */
	fixture_reply(&reply, &request[1].umad);
	assert_int_equal(fixture_receive(engine, &reply, 103 * MS), ENGINE_UNMATCHED);
	assert_int_equal(write_all(engine, 103 * MS), 1);
	assert_int_equal(fixture_receive(engine, &reply, 103 * MS), ENGINE_UNMATCHED);
	assert_int_equal(write_all(engine, 103 * MS), 0);
	assert_int_equal(state_of(engine, agent).queued, 1);
	engine_close(engine);
}

/* A notice of the attempt in flight ends it and makes room for the next one. */
static void test_notice_makes_room(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	unsigned int agent = open_agent(engine, 1, 2);

	ask(engine, agent, 0, 1);
	for (unsigned int attempt = 0; attempt < 2; attempt++) {
		assert_int_equal(write_all(engine, MS), 1);
		assert_int_equal(state_of(engine, agent).kernel_held, 1);
		notice(engine, &request[0].umad, MS);
		assert_int_equal(state_of(engine, agent).kernel_held, 0);
	}
	expect_status(engine, -ETIMEDOUT);
	engine_close(engine);
}

/* The kernel was told 102 ms. An eighth and 100 ms later, it has dropped the request. */
static void test_lost_notice(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	unsigned int agent = open_agent(engine, 1, 1);
	uint64_t ends_at = 101 * MS + (102 + 102 / 8) * MS + 102 % 8 * MS / 8 + 100 * MS;

	ask(engine, agent, 0, 1);
	assert_int_equal(write_all(engine, MS), 1);
	assert_int_equal(request[0].umad.timeout_ms, 102);
	engine_advance(engine, 101 * MS);
	expect_status(engine, -ETIMEDOUT);
	assert_true(engine_next_deadline(engine) == ENGINE_NEVER);
	ask(engine, agent, 1, 1);
	assert_true(engine_next_deadline(engine) == ends_at);
	engine_advance(engine, ends_at - 1);
	assert_int_equal(write_all(engine, ends_at - 1), 0);
	engine_advance(engine, ends_at);
	assert_int_equal(write_all(engine, ends_at), 1);
	engine_close(engine);
}

/* A request that waits for ever in the kernel makes room only by its reply. */
static void test_held_for_ever(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	unsigned int agent = open_agent(engine, 1, 1);
	struct engine_request forever = {
		.umad = &request[0].umad,
		.length = sizeof(request[0].mad),
		.timeout_ns = ENGINE_NEVER,
		.attempts = 1,
	};
	struct buffer reply;
	uint64_t id;

	fixture_request(&request[0], 1, 0x12);
	assert_int_equal(engine_send(engine, agent, &forever, &id), 0);
	assert_int_equal(write_all(engine, MS), 1);
	assert_int_equal(engine_cancel(engine, id), 0);
	expect_status(engine, -ECANCELED);
	ask(engine, agent, 1, 1);
	engine_advance(engine, 1000000 * MS);
	assert_int_equal(write_all(engine, 1000000 * MS), 0);
	fixture_reply(&reply, &request[0].umad);
	assert_int_equal(fixture_receive(engine, &reply, 1000000 * MS), ENGINE_UNMATCHED);
	assert_int_equal(write_all(engine, 1000000 * MS), 1);
	engine_close(engine);
}

/* A refused write leaves nothing in the kernel; one that ends after its transaction does. */
static void test_ends_of_writes(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	unsigned int agent = open_agent(engine, 1, 1);
	struct engine_write write;
	uint64_t id;

	ask(engine, agent, 0, 1);
	assert_true(engine_next_write(engine, MS, &write));
	engine_write_done(engine, write.id, -EIO, MS);
	expect_status(engine, -EIO);
	assert_int_equal(state_of(engine, agent).kernel_held, 0);
	fixture_request(&request[1], 2, 0x12);
	id = fixture_send(engine, agent, &request[1]);
	assert_true(engine_next_write(engine, MS, &write));
	assert_int_equal(engine_cancel(engine, id), 0);
	engine_check(engine);
	engine_write_done(engine, write.id, 0, MS);
	expect_status(engine, -ECANCELED);
	engine_check(engine);
	assert_int_equal(state_of(engine, agent).kernel_held, 1);
	fixture_request(&request[2], 3, 0x12);
	id = fixture_send(engine, agent, &request[2]);
	assert_false(engine_next_write(engine, MS, &write));
	notice(engine, &request[1].umad, MS);
	assert_true(engine_next_write(engine, MS, &write));
	assert_int_equal(engine_cancel(engine, id), 0);
	engine_write_done(engine, write.id, -ECANCELED, MS);
	engine_check(engine);
	assert_int_equal(state_of(engine, agent).kernel_held, 0);
	engine_close(engine);
}

/* A postponed attempt has the TID of the attempt before, which the kernel still holds. */
static void test_late_reply_to_a_postponed_attempt(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	unsigned int agent = open_agent(engine, 2, 2);
	struct engine_write write;
	struct buffer reply;

	ask(engine, agent, 0, 1);
	assert_int_equal(write_all(engine, MS), 1);
	fixture_reply(&reply, &request[0].umad);
	engine_advance(engine, 101 * MS);
	assert_true(engine_next_write(engine, 101 * MS, &write));
	assert_int_equal(state_of(engine, agent).kernel_held, 2);
	engine_write_done(engine, write.id, -EAGAIN, 101 * MS);
	assert_int_equal(state_of(engine, agent).kernel_held, 1);
	assert_int_equal(fixture_receive(engine, &reply, 101 * MS), ENGINE_REPLY);
	assert_int_equal(state_of(engine, agent).kernel_held, 0);
	engine_check(engine);
	engine_close(engine);
}

/* Two registrations on a lane have twice the room, and each takes its replies. */
static void test_several_registrations(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	struct engine_agent_config config = fixture_agent();
	unsigned int agent, written[8] = { 0 };
	struct buffer reply;

	config.kernel_limit = 3;
	config.lane_count = 2;
	config.lane[1].agent_id = 7;
	agent = (unsigned int)engine_agent_open(engine, &config);
	ask(engine, agent, 0, 10);
	assert_int_equal(write_all(engine, MS), 6);
	for (unsigned int i = 0; i < 6; i++)
		written[request[i].umad.agent_id]++;
	assert_int_equal(written[5], 3);
	assert_int_equal(written[7], 3);
	for (unsigned int i = 0; i < 6; i++) {
		fixture_reply(&reply, &request[i].umad);
		assert_int_equal(fixture_receive(engine, &reply, MS), ENGINE_REPLY);
		engine_check(engine);
	}
	assert_int_equal(state_of(engine, agent).kernel_held, 0);
	assert_int_equal(write_all(engine, MS), 4);
	engine_close(engine);
}

/* MADs without a reply need no room, unless they wait behind a request of their flow. */
static void test_responses_need_no_room(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	unsigned int agent = open_agent(engine, 1, 1);
	struct engine_request response = { .length = sizeof(request[0].mad), .no_reply = true };
	uint64_t id;

	ask(engine, agent, 0, 3);
	assert_int_equal(write_all(engine, MS), 1);
	for (unsigned int i = 2; i < 5; i++) {
		/* The first one goes where the last of the requests waits. */
		fixture_request(&request[8 + i], (uint16_t)(1 + i), 0x12);
		response.umad = &request[8 + i].umad;
		assert_int_equal(engine_send(engine, agent, &response, &id), 0);
	}
	assert_int_equal(write_all(engine, MS), 2);
	expect_status(engine, 0);
	expect_status(engine, 0);
	assert_int_equal(state_of(engine, agent).kernel_held, 1);
	assert_int_equal(state_of(engine, agent).queued, 3);
	assert_false(engine_wants_write(engine));
	engine_agent_cancel(engine, agent);
	engine_check(engine);
	engine_close(engine);
}

/* The kernel, too, soon gives up dead nodes that take a quarter of the limit. */
static void test_crowded_registration(void **state)
{
	static const uint32_t expected[] = { 1002, 1002, 2 * (250 + 2), 2 * (250 + 2) };
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	struct engine_agent_config config = fixture_agent();
	uint64_t now = MS;
	unsigned int agent;

	config.kernel_limit = 5;
	config.attempts = 1;
	agent = (unsigned int)engine_agent_open(engine, &config);
	for (unsigned int i = 0; i < 4; i++) {
		ask(engine, agent, i, 1);
		assert_int_equal(write_all(engine, now), 1);
		assert_int_equal(request[i].umad.timeout_ms, expected[i]);
		now += 250 * MS;
		engine_advance(engine, now);
	}
	engine_close(engine);
}

/* Requests that the kernel held on a lane are gone with it; other lanes keep the room they had. */
static void test_lost_lane(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	struct engine_agent_config config = fixture_agent();
	unsigned int agent;

	engine_lane_open(engine, 1);
	config.kernel_limit = 2;
	config.lane_count = 2;
	config.lane[1] = (struct engine_agent_lane){ .lane = 1, .agent_id = 3 };
	agent = (unsigned int)engine_agent_open(engine, &config);
	ask(engine, agent, 0, 8);
	assert_int_equal(write_all(engine, MS), 4);
	engine_lane_lost(engine, 0);
	engine_check(engine);
	expect_status(engine, -ENODEV);
	expect_status(engine, -ENODEV);
	assert_int_equal(state_of(engine, agent).kernel_held, 2);
	assert_int_equal(write_all(engine, MS), 0);
	engine_lane_lost(engine, 1);
	engine_check(engine);
	assert_int_equal(state_of(engine, agent).kernel_held, 0);
	engine_close(engine);
}

/* The kernel drops all that an agent had when it is unregistered. */
static void test_closed_agent(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	unsigned int agent = open_agent(engine, 2, 1);
	struct engine_write write[2];

	ask(engine, agent, 0, 4);
	assert_true(engine_next_write(engine, MS, &write[0]));
	assert_true(engine_next_write(engine, MS, &write[1]));
	engine_write_done(engine, write[0].id, 0, MS);
	engine_agent_close(engine, agent);
	engine_check(engine);
	engine_write_done(engine, write[1].id, 0, MS);
	engine_check(engine);
	for (unsigned int i = 0; i < 4; i++)
		expect_status(engine, -ECANCELED);
	agent = open_agent(engine, 2, 1);
	ask(engine, agent, 4, 4);
	assert_int_equal(write_all(engine, MS), 2);
	engine_close(engine);
}

/* The first retry goes before the other requests of its flow, and the later ones behind them. */
static void test_order_of_retries(void **state)
{
	struct engine *engine = fixture_open(REQUESTS, MS, MS);
	struct engine_agent_config config = fixture_agent();
	static const unsigned int expected[] = { 0, 0, 1, 1, 2, 2, 0, 1, 2, 0 };
	uint64_t now = MS;
	unsigned int agent;

	config.pin_timeout = config.pin_flow_window = true;
	config.flow_window = 1;
	agent = (unsigned int)engine_agent_open(engine, &config);
	for (unsigned int i = 0; i < 3; i++) {
		fixture_request(&request[i], 7, (uint16_t)(0x12 + i));
		fixture_send(engine, agent, &request[i]);
	}
	for (unsigned int i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		assert_ptr_equal(fixture_write(engine, now).umad, &request[expected[i]].umad);
		engine_check(engine);
		now += 250 * MS;
		engine_advance(engine, now);
	}
	engine_close(engine);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_rest_waits_without_a_timer),
	cmocka_unit_test(test_given_up_attempts_are_held),
	cmocka_unit_test(test_notice_makes_room),
	cmocka_unit_test(test_lost_notice),
	cmocka_unit_test(test_held_for_ever),
	cmocka_unit_test(test_ends_of_writes),
	cmocka_unit_test(test_late_reply_to_a_postponed_attempt),
	cmocka_unit_test(test_several_registrations),
	cmocka_unit_test(test_responses_need_no_room),
	cmocka_unit_test(test_crowded_registration),
	cmocka_unit_test(test_lost_lane),
	cmocka_unit_test(test_closed_agent),
	cmocka_unit_test(test_order_of_retries),
};

TEST_MAIN(tests, NULL, NULL)
