/* SPDX-License-Identifier: BSD-2-Clause */
/* Silences, and replies that are read late: they give no sample, and no window grows by them. */
#include "cmocka_all.h"

#include "pace/pace_parts.h"

#define US 1000ull
#define MS 1000000ull

struct way {
	struct pace_agent agent;
	struct pace_flow flow;
	uint64_t now;
};

/* Sends as much as the window admits, and has all answered after @rtt_ns, read late or in time. */
static void play_round(struct way *way, uint64_t rtt_ns, bool is_late)
{
	uint64_t sent_at = way->now;
	uint32_t sent = way->agent.window.size;

	for (uint32_t i = 0; i < sent; i++)
		pace_sent(&way->agent, &way->flow);
	way->now += rtt_ns;
	for (uint32_t i = 0; i < sent; i++) {
		if (is_late)
			pace_heard_late(&way->agent, sent_at, way->now);
		else
			pace_measured(&way->agent, &way->flow, 1, rtt_ns, way->now);
		pace_ended(&way->agent, &way->flow, (struct pace_place){ 0 });
		way->now += 10 * US;
	}
}

static struct way open_way(void)
{
	const struct pace_limits limits = {
		.window = 4096,
		.flow_window = 4096,
		.flow_first = 4096,
		.queue_ns = 200 * US,
	};
	struct way way = { .now = MS };

	pace_agent_open(&way.agent, &limits, way.now);
	way.flow = pace_flow_open(&way.agent);
	/* The second round drains the window. */
	play_round(&way, 100 * US, false);
	play_round(&way, 100 * US, false);
	return way;
}

/* Has an attempt sent, another one answered at once, and the first one after @ns more. */
static void play_silence(struct way *way, uint64_t ns)
{
	pace_sent(&way->agent, &way->flow);
	way->now += 100 * US;
	pace_measured(&way->agent, &way->flow, 1, 50 * US, way->now);
	way->now += ns;
	pace_measured(&way->agent, &way->flow, 1, 100 * US + ns, way->now);
	pace_ended(&way->agent, &way->flow, (struct pace_place){ 0 });
}

/* An attempt from before the end of a long silence is no sample of the agent or the flow. */
static void test_long_silence(void **state)
{
	struct way way = open_way();
	uint64_t sent_at;

	assert_int_equal(way.agent.rounds, 2);
	play_silence(&way, 500 * MS);
	assert_true(way.agent.slowest_ns < MS);
	assert_true(pace_timeout(&way.agent, &way.flow) < MS);
	/* All the same, what was sent before that attempt is overtaken. */
	sent_at = way.now - 500 * MS - 100 * US;
	assert_int_equal(way.agent.answered_sent_at, sent_at + 50 * US);
	pace_measured(&way.agent, &way.flow, 1, 400 * MS, way.now);
	assert_true(way.agent.slowest_ns < MS);
	assert_int_equal(way.agent.answered_sent_at, way.now - 400 * MS);
	/* An attempt of later is a sample again. */
	way.now += 100 * US;
	pace_measured(&way.agent, &way.flow, 1, 100 * US, way.now);
	assert_true(way.agent.silence.has_sample);
}

/* A way that has become slower for good is known after its second silence. */
static void test_slower_for_good(void **state)
{
	struct way way = open_way();

	way.agent.silence.has_sample = false;
	play_silence(&way, 0);
	play_silence(&way, 500 * MS);
	assert_true(way.agent.slowest_ns < MS);
	pace_sent(&way.agent, &way.flow);
	way.now += 500 * MS;
	pace_measured(&way.agent, &way.flow, 1, 500 * MS - 1, way.now);
	assert_true(way.agent.slowest_ns > 400 * MS);
}

/* While nothing is in flight there is nothing to hear. */
static void test_idle(void **state)
{
	struct way way = open_way();

	way.now += 500 * MS;
	pace_measured(&way.agent, &way.flow, 1, 200 * US, way.now);
	assert_int_equal(way.agent.slowest_ns, 200 * US);
	assert_false(way.agent.round.has_silence);
}

/* A window doubles by a round, but not by one with a silence longer than any round trip. */
static void test_no_growth(void **state)
{
	struct way way = open_way();
	uint32_t size = way.agent.window.size;

	assert_int_equal(size, 16);
	play_silence(&way, 250 * US);
	assert_true(way.agent.round.has_silence);
	play_round(&way, 100 * US, false);
	assert_true(way.agent.window.size <= size);
	size = way.agent.window.size;
	play_round(&way, 100 * US, false);
	assert_true(way.agent.window.size > size);
}

/* Replies that are read late are no samples, and their round is none to grow by. */
static void test_late_replies_are_no_samples(void **state)
{
	struct way way = open_way();
	uint32_t size = way.agent.window.size;
	uint64_t longest = way.agent.slowest_ns;

	for (unsigned int i = 0; i < 100; i++)
		play_round(&way, 3 * MS, true);
	assert_int_equal(way.agent.window.size, size);
	assert_int_equal(way.agent.slowest_ns, longest);
	assert_int_equal(way.agent.inherent_ns, 0);
	assert_int_equal(way.agent.rounds, 2);
	assert_true(way.agent.answered_sent_at > 300 * MS);
	play_round(&way, 100 * US, false);
	assert_true(way.agent.window.size <= size);
	/* The time until these were read is none of the rate. */
	assert_true(way.agent.interval_ns < 50 * US);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_long_silence),
	cmocka_unit_test(test_slower_for_good),
	cmocka_unit_test(test_idle),
	cmocka_unit_test(test_no_growth),
	cmocka_unit_test(test_late_replies_are_no_samples),
};

TEST_MAIN(tests, NULL, NULL)
