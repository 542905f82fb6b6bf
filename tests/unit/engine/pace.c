/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The window of an agent follows the rate and the allowed queue, in a world of one server. All
 * times are virtual, so that every number is the same in each run. The servers take as
 * long as a switch. Before a faster one, longer queues are tried than are allowed.
 */
#include "cmocka_all.h"

#include "pace_world.h"

static struct world *open_world(uint64_t base_ns, uint64_t service_ns)
{
	struct world *world = world_open(base_ns, service_ns);
	struct pace_limits limits = world_limits();

	world_begin(world, &world->program[0], &limits);
	return world;
}

/* Returns the share of a time that the server works for a program, in percent. */
static unsigned int load_of(struct world *world, const struct world_program *program, uint64_t ns)
{
	uint64_t before = program->answered;

	world_run(world, ns);
	return (unsigned int)((program->answered - before) * world->service_ns * 100 / ns);
}

/* Asserts that the window stays within bounds for a time, apart from rounds of draining. */
static void assert_window_stays(struct world *world, uint64_t ns, uint32_t low, uint32_t high)
{
	const struct pace_agent *agent = &world->program[0].agent;
	uint64_t until = world->now + ns;

	while (world->now < until) {
		world_step(world);
		assert_in_range(agent->undrained, low, high);
		assert_true(agent->is_draining || agent->window.size == agent->undrained);
	}
}

/* The window begins at 8 and doubles in each round, until a queue is seen. */
static void test_begins_small_and_doubles(void **state)
{
	struct world *world = open_world(MS, US);
	const struct pace_agent *agent = &world->program[0].agent;
	uint32_t size = 8;
	uint64_t rounds = 0;

	assert_int_equal(agent->window.size, 8);
	assert_int_equal(agent->rounds, 0);
	for (;;) {
		world_step(world);
		if (agent->rounds == rounds)
			continue;
		if (agent->has_waited)
			break;
		/* The first round ends with a new base, so that the second one drains. */
		assert_int_equal(agent->rounds, ++rounds);
		size *= rounds == 2 ? 1 : 2;
		assert_int_equal(agent->undrained, size);
		assert_int_equal(agent->window.size, rounds == 1 ? 4 : size);
	}
	/* The queue of a burst is seen before 1,000 MADs are on their way. */
	assert_in_range(size, 128, 1024);
	while (agent->rounds < 40) {
		uint32_t before = agent->undrained;

		world_step(world);
		assert_true(agent->undrained <= 2 * before);
	}
	world_close(world);
}

/* The window becomes what is on its way and in the allowed queue, and stays about that. */
static void test_rate_times_round_trip(void **state)
{
	static const struct {
		uint64_t base_ns, service_ns;
	} ways[] = {
		{ 20 * US, 8 * US },  { 100 * US, 8 * US }, { 20 * US, 6 * US },
		{ 20 * US, 40 * US }, { MS, 8 * US },	    { MS, 6 * US },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct world *world = open_world(ways[i].base_ns, ways[i].service_ns);
		uint32_t on_way = (uint32_t)(ways[i].base_ns / ways[i].service_ns);
		uint32_t queue = (uint32_t)(200 * US / ways[i].service_ns);

		world_run(world, 100 * MS);
		assert_window_stays(world, 100 * MS, on_way / 2 + queue / 2,
				    on_way + 2 * queue + 4);
		assert_in_range(load_of(world, &world->program[0], 100 * MS), 93, 101);
		assert_in_range(world->program[0].agent.waiting_ns, 100 * US, 350 * US);
		world_close(world);
	}
}

/* A server that is much slower than the allowed queue gets few MADs, and is never idle. */
static void test_slow_server(void **state)
{
	struct world *world = open_world(20 * US, 400 * US);

	world_run(world, 100 * MS);
	assert_window_stays(world, 400 * MS, 3, 6);
	assert_in_range(load_of(world, &world->program[0], 100 * MS), 99, 101);
	world_close(world);
}

/* A wide window is allowed less of the queue than a narrow one. */
static void test_wide_window_waits_less(void **state)
{
	static const uint64_t service_ns[] = { 24 * US, 12 * US, 6 * US };
	uint32_t before = UINT32_MAX;

	for (unsigned int i = 0; i < 3; i++) {
		struct world *world = open_world(20 * US, service_ns[i]);
		const struct pace_agent *agent = &world->program[0].agent;

		world_run(world, 200 * MS);
		assert_true(agent->waiting_ns < before - before / 16);
		before = agent->waiting_ns;
		world_close(world);
	}
}

/* The window does not grow while the program uses less than it. */
static void test_unused_window_stays(void **state)
{
	struct world *world = open_world(100 * US, US);

	world->program[0].most = 6;
	assert_window_stays(world, 20 * MS, 8, 8);
	world->program[0].most = UINT32_MAX;
	world_run(world, 50 * MS);
	assert_true(world->program[0].agent.undrained > 100);
	world_close(world);
}

/* A pinned window always has its size, whatever is lost and however long the queue is. */
static void test_pinned(void **state)
{
	struct world *world = world_open(100 * US, 10 * US);
	struct world_program *program = &world->program[0];
	struct pace_limits limits = world_limits();

	limits.window = 300;
	limits.pin_window = true;
	world_begin(world, program, &limits);
	world->room = 100;
	world->lost_ppm = 100000;
	for (int i = 0; i < 20000; i++) {
		world_step(world);
		assert_int_equal(program->agent.window.size, 300);
		assert_in_range(program->agent.window.in_flight, 299, 300);
		assert_int_equal(program->agent.window.placeless, 0);
	}
	assert_true(program->agent.rounds > 10);
	world_close(world);
}

/* The window never exceeds its maximum, which may be smaller than where it begins. */
static void test_maximum(void **state)
{
	static const uint32_t maxima[] = { 1, 5, 40 };

	for (unsigned int i = 0; i < 3; i++) {
		struct world *world = world_open(MS, US);
		struct pace_limits limits = world_limits();

		limits.window = maxima[i];
		world_begin(world, &world->program[0], &limits);
		assert_int_equal(world->program[0].agent.window.size,
				 maxima[i] < 8 ? maxima[i] : 8);
		world_run(world, 40 * MS);
		assert_window_stays(world, 40 * MS, maxima[i], maxima[i]);
		assert_in_range(pace_in_flight(&world->program[0].agent.window), maxima[i] - 1,
				maxima[i]);
		world_close(world);
	}
}

/*
 * Counts the rounds of draining until a round, and asserts that each is followed by another kind.
 */
static unsigned int drains_until(struct world *world, uint64_t last_round)
{
	const struct pace_agent *agent = &world->program[0].agent;
	unsigned int drains = 0;
	bool was_draining = agent->is_draining;
	uint64_t rounds = agent->rounds;

	while (agent->rounds < last_round) {
		world_step(world);
		if (agent->rounds == rounds)
			continue;
		rounds = agent->rounds;
		assert_false(agent->is_draining && was_draining);
		assert_int_equal(agent->window.size, agent->is_draining ? 4 : agent->undrained);
		drains += agent->is_draining;
		was_draining = agent->is_draining;
	}
	return drains;
}

/* The window drains for a round when routes of a new length are measured, and now and then. */
static void test_draining(void **state)
{
	struct world *world = open_world(100 * US, 4 * US);

	assert_int_equal(drains_until(world, 20), 1);
	assert_int_equal(drains_until(world, 60), 0);
	assert_int_equal(drains_until(world, 70), 1);
	assert_int_equal(drains_until(world, 130), 0);
	assert_int_equal(drains_until(world, 140), 1);
	world->most_hops = 2;
	assert_int_equal(drains_until(world, 150), 1);
	assert_int_equal(drains_until(world, 180), 0);
	world->most_hops = PACE_BY_LID;
	assert_true(drains_until(world, 190) >= 1);
	world_close(world);
}

/* A longer route has a base of its own, so its longer round trip is no queue. */
static void test_bases_by_hops(void **state)
{
	struct pace_limits limits = world_limits();
	struct pace_agent agent;
	struct pace_flow flow;
	uint64_t now = MS;

	pace_agent_open(&agent, &limits, now);
	flow = pace_flow_open(&agent);
	for (unsigned int i = 0; i < 400; i++) {
		unsigned int hops = i % 2 ? 3 : PACE_BY_LID;
		uint64_t rtt_ns = i % 2 ? 900 * US : 100 * US;

		pace_sent(&agent, &flow);
		now += rtt_ns;
		pace_measured(&agent, &flow, hops, rtt_ns, now);
		pace_ended(&agent, &flow, (struct pace_place){ 0 });
	}
	assert_int_equal(agent.base_ns[3], 900 * US);
	assert_int_equal(agent.base_ns[PACE_BY_LID], 100 * US);
	assert_int_equal(agent.waiting_ns, 0);
	assert_int_equal(pace_in_flight(&agent.window), 0);
}

/* Two programs that begin at different times come to share the server, each within 1.5 of half. */
static void test_two_programs_share(void **state)
{
	static const struct {
		uint64_t base_ns, service_ns, later_ns;
	} ways[] = {
		{ 100 * US, 6 * US, 0 },
		{ 100 * US, 6 * US, 100 * MS },
		{ 20 * US, 6 * US, 50 * MS },
		{ 300 * US, 10 * US, 50 * MS },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct world *world = open_world(ways[i].base_ns, ways[i].service_ns);
		struct pace_limits limits = world_limits();

		if (ways[i].later_ns)
			world_run(world, ways[i].later_ns);
		world_begin(world, &world->program[1], &limits);
		world_run(world, 100 * MS);
		for (int part = 0; part < 4; part++) {
			uint64_t one = world->program[0].answered,
				 other = world->program[1].answered;

			world_run(world, 50 * MS);
			one = world->program[0].answered - one;
			other = world->program[1].answered - other;
			assert_true(2 * one <= 3 * other && 2 * other <= 3 * one);
			assert_in_range((one + other) * ways[i].service_ns, 46 * MS, 51 * MS);
		}
		world_close(world);
	}
}

/* Nodes that are nearly all slow are no queue: the window becomes as wide as they need. */
static void test_slow_nodes_are_no_queue(void **state)
{
	static const uint64_t service_ns[] = { 4 * US, 20 * US };

	for (unsigned int i = 0; i < 2; i++) {
		struct world *world = open_world(20 * US, service_ns[i]);

		world->slow_ppm = 999000;
		world->slow_ns = MS;
		world_run(world, 150 * MS);
		assert_in_range(load_of(world, &world->program[0], 100 * MS), 90, 101);
		assert_in_range(world->program[0].agent.inherent_ns, 900 * US, 1100 * US);
		/* When they become fast, that is learned, too. */
		world->slow_ppm = 0;
		world_run(world, 600 * MS);
		assert_in_range(world->program[0].agent.inherent_ns, 0, 200 * US);
		assert_in_range(load_of(world, &world->program[0], 50 * MS), 95, 101);
		assert_in_range(world->program[0].agent.undrained, 5, 120);
		world_close(world);
	}
}

/* A few slow nodes do not narrow the window, nor make it wider than a third more. */
static void test_few_slow_nodes(void **state)
{
	uint32_t without;
	struct world *world = open_world(100 * US, 4 * US);

	world_run(world, 100 * MS);
	without = world->program[0].agent.undrained;
	world->slow_ppm = 30000;
	world->slow_ns = 2 * MS;
	world_run(world, 20 * MS);
	assert_window_stays(world, 100 * MS, without * 2 / 3, without * 2);
	assert_in_range(load_of(world, &world->program[0], 100 * MS), 90, 101);
	assert_true(world->program[0].agent.median_ns < 300 * US);
	world_close(world);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_begins_small_and_doubles),
	cmocka_unit_test(test_rate_times_round_trip),
	cmocka_unit_test(test_slow_server),
	cmocka_unit_test(test_wide_window_waits_less),
	cmocka_unit_test(test_unused_window_stays),
	cmocka_unit_test(test_pinned),
	cmocka_unit_test(test_maximum),
	cmocka_unit_test(test_draining),
	cmocka_unit_test(test_bases_by_hops),
	cmocka_unit_test(test_two_programs_share),
	cmocka_unit_test(test_slow_nodes_are_no_queue),
	cmocka_unit_test(test_few_slow_nodes),
};

TEST_MAIN(tests, NULL, NULL)
