/* SPDX-License-Identifier: BSD-2-Clause */
/* The pace and losses: those of a short queue, those by chance, and what was only overtaken. */
#include "cmocka_all.h"

#include "pace_world.h"

static struct world *open_world(uint64_t base_ns, uint64_t service_ns)
{
	struct world *world = world_open(base_ns, service_ns);
	struct pace_limits limits = world_limits();

	world_begin(world, &world->program[0], &limits);
	return world;
}

/* A reply that is known to answer an attempt of @ns before. */
static void take_reply(struct pace_agent *agent, struct pace_flow *flow, uint64_t ns, uint64_t *now)
{
	pace_sent(agent, flow);
	*now += ns;
	pace_measured(agent, flow, 1, ns, *now);
	pace_ended(agent, flow, (struct pace_place){ 0 });
}

/* A queue of 8 places overflows at first. Then drops become rare, and the server stays busy. */
static void test_short_queue(void **state)
{
	static const struct {
		uint64_t base_ns, service_ns;
	} ways[] = {
		{ 20 * US, 4 * US },
		{ 20 * US, 20 * US },
		{ 50 * US, 4 * US },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct world *world = open_world(ways[i].base_ns, ways[i].service_ns);
		struct world_program *program = &world->program[0];

		world->room = 8;
		world_run(world, 100 * MS);
		assert_true(program->dropped);
		for (int part = 0; part < 4; part++) {
			uint64_t dropped = program->dropped, sent = program->sent;
			uint64_t answered = program->answered;

			world_run(world, 100 * MS);
			dropped = program->dropped - dropped;
			assert_true(100 * dropped < 2 * (program->sent - sent));
			answered = program->answered - answered;
			assert_in_range(answered * ways[i].service_ns, 95 * MS, 101 * MS);
		}
		assert_true(program->agent.lost_share);
		assert_true(program->agent.allowed_ns < program->agent.most_allowed_ns);
		world_close(world);
	}
}

/* Bursts may overflow a queue that is empty between them. The window must not run away by that. */
static void test_bursts_overflow(void **state)
{
	static const uint64_t base_ns[] = { 100 * US, 200 * US };

	for (unsigned int i = 0; i < 2; i++) {
		struct world *world = open_world(base_ns[i], 4 * US);

		world->room = 8;
		for (int part = 0; part < 200; part++) {
			world_run(world, 5 * MS);
			assert_in_range(world->program[0].agent.undrained, 8, 300);
			assert_in_range(world->program[0].agent.chance, 0, 1024 / 8);
		}
		world_close(world);
	}
}

/* The queue that was allowed before an overflow is tried again, and given up again. */
static void test_allowed_queue_is_tried_again(void **state)
{
	struct world *world = open_world(20 * US, 4 * US);
	struct world_program *program = &world->program[0];
	uint32_t allowed;

	world->room = 8;
	world_run(world, 100 * MS);
	allowed = program->agent.allowed_ns;
	assert_in_range(allowed, 4 * US, 40 * US);
	/* The queue becomes long: after some time, all is allowed again. */
	world->room = UINT32_MAX;
	world_run(world, 20 * MS);
	assert_in_range(program->agent.allowed_ns, allowed, 100 * US);
	world_run(world, 2000 * MS);
	assert_int_equal(program->agent.allowed_ns, 200 * US);
	world_close(world);
}

/* Loss by chance is learned, and leaves the window as wide as it is without. */
static void test_chance(void **state)
{
	static const struct {
		uint32_t lost_ppm, least, most; /* shares in 1/1024 */
	} losses[] = {
		{ 10000, 2, 24 },
		{ 50000, 26, 90 },
		{ 100000, 60, 128 },
	};

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		struct world *world = open_world(100 * US, 4 * US);
		struct world_program *program = &world->program[0];
		uint64_t answered;

		world->lost_ppm = losses[i].lost_ppm;
		world_run(world, 100 * MS);
		assert_in_range(program->agent.chance, losses[i].least, losses[i].most);
		answered = program->answered;
		for (int part = 0; part < 100; part++) {
			world_run(world, MS);
			assert_in_range(program->agent.undrained, 20, 120);
		}
		answered = program->answered - answered;
		/* 25,000 is what the server can do. */
		assert_in_range(answered, (1000000 - losses[i].lost_ppm) / 10000 * 240, 25000);
		world_close(world);
	}
}

/* Nothing is overtaken before the first round is over. Then its longest round trip decides. */
static void test_overtaken_after(void **state)
{
	struct pace_limits limits = world_limits();
	struct pace_agent agent;
	struct pace_flow flow;
	uint64_t now = MS;

	pace_agent_open(&agent, &limits, now);
	flow = pace_flow_open(&agent);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(pace_overtaken_after(&agent), UINT64_MAX);
		take_reply(&agent, &flow, 100 * US, &now);
	}
	assert_int_equal(agent.rounds, 1);
	assert_int_equal(pace_overtaken_after(&agent), 250 * US);
	/* A longer round trip counts at once. */
	take_reply(&agent, &flow, 300 * US, &now);
	assert_int_equal(pace_overtaken_after(&agent), 550 * US);
}

/* Each reply to something overtaken has the next ones wait longer. That is forgotten slowly. */
static void test_found(void **state)
{
	struct pace_limits limits = world_limits();
	struct pace_agent agent;
	struct pace_flow flow;
	uint64_t now = MS, rounds;

	pace_agent_open(&agent, &limits, now);
	flow = pace_flow_open(&agent);
	while (agent.rounds < 10)
		take_reply(&agent, &flow, 100 * US, &now);
	assert_int_equal(pace_overtaken_after(&agent), 250 * US);
	pace_found(&agent);
	assert_int_equal(pace_overtaken_after(&agent), 400 * US);
	for (int i = 0; i < 100; i++)
		pace_found(&agent);
	assert_int_equal(pace_overtaken_after(&agent), 100 * US + 17 * 150 * US);
	rounds = agent.rounds;
	while (agent.rounds < rounds + 20 * 16)
		take_reply(&agent, &flow, 100 * US, &now);
	assert_int_equal(pace_overtaken_after(&agent), 250 * US);
}

/* A loss counts once, not if it was sent before the epoch, and not if its reply comes late. */
static void test_losses_are_counted(void **state)
{
	struct pace_limits limits = world_limits();
	struct pace_agent agent;

	pace_agent_open(&agent, &limits, MS);
	pace_found(&agent);
	assert_int_equal(agent.epoch.losses, 0);
	pace_lost(&agent, 2 * MS);
	pace_lost(&agent, 3 * MS);
	assert_int_equal(agent.epoch.outcomes, 2);
	assert_int_equal(agent.epoch.losses, 2);
	pace_found(&agent);
	assert_int_equal(agent.epoch.losses, 1);
	agent.epoch.began_at = 4 * MS;
	pace_lost(&agent, 4 * MS - 1);
	assert_int_equal(agent.epoch.losses, 1);
	assert_int_equal(agent.epoch.outcomes, 2);
	pace_lost(&agent, 4 * MS);
	assert_int_equal(agent.epoch.losses, 2);
}

/* Attempts without a place count in flight, and not against the size of the window. */
static void test_places(void **state)
{
	struct pace_limits limits = world_limits();
	struct pace_agent agent;
	struct pace_flow flow;

	limits.window = 10;
	limits.pin_flow_window = false;
	limits.flow_first = 2;
	limits.flow_window = 3;
	pace_agent_open(&agent, &limits, MS);
	flow = pace_flow_open(&agent);
	assert_true(pace_admits(&flow.window));
	pace_sent(&agent, &flow);
	pace_sent(&agent, &flow);
	assert_false(pace_admits(&flow.window));
	pace_yield(&flow.window);
	pace_yield(&flow.window);
	assert_true(pace_admits(&flow.window));
	pace_sent(&agent, &flow);
	/* All three that the flow may have at most are in flight. */
	assert_int_equal(pace_in_flight(&flow.window), 3);
	assert_false(pace_admits(&flow.window));
	for (int i = 0; i < 5; i++)
		pace_sent(&agent, &flow);
	assert_false(pace_admits(&agent.window));
	pace_yield(&agent.window);
	assert_true(pace_admits(&agent.window));
	pace_sent(&agent, &flow);
	pace_yield(&agent.window);
	pace_sent(&agent, &flow);
	pace_yield(&agent.window);
	assert_int_equal(pace_in_flight(&agent.window), 10);
	assert_false(pace_admits(&agent.window));
	pace_ended(&agent, &flow, (struct pace_place){ .overtaken = true, .released = true });
	assert_int_equal(agent.window.placeless, 2);
	assert_int_equal(flow.window.placeless, 1);
	pace_ended(&agent, &flow, (struct pace_place){ 0 });
	assert_int_equal(pace_in_flight(&agent.window), 8);
	assert_int_equal(agent.window.placeless, 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_short_queue),
	cmocka_unit_test(test_bursts_overflow),
	cmocka_unit_test(test_allowed_queue_is_tried_again),
	cmocka_unit_test(test_chance),
	cmocka_unit_test(test_overtaken_after),
	cmocka_unit_test(test_found),
	cmocka_unit_test(test_losses_are_counted),
	cmocka_unit_test(test_places),
};

TEST_MAIN(tests, NULL, NULL)
