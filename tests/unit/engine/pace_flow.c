/* SPDX-License-Identifier: BSD-2-Clause */
/* The window of a flow, what is known of a silent node, and timeouts by the round trips. */
#include "cmocka_all.h"

#include "pace/pace_parts.h"

#define US 1000ull
#define MS 1000000ull

struct way {
	struct pace_agent agent;
	struct pace_flow flow;
	uint64_t now;
};

/* Opens a flow of an agent that sees no queue, because its own window is pinned. */
static struct way open_way(uint32_t first, uint32_t maximum, bool pinned)
{
	const struct pace_limits limits = {
		.window = 4096,
		.flow_window = maximum,
		.flow_first = first,
		.pin_window = true,
		.pin_flow_window = pinned,
		.queue_ns = 200 * US,
	};
	struct way way = { .now = MS };

	pace_agent_open(&way.agent, &limits, way.now);
	way.flow = pace_flow_open(&way.agent);
	return way;
}

/* Plays a round of the flow: @sent attempts at once, all answered after @rtt_ns but @lost. */
static void play_round(struct way *way, uint32_t sent, uint64_t rtt_ns, uint32_t lost)
{
	for (uint32_t i = 0; i < sent; i++)
		pace_sent(&way->agent, &way->flow);
	way->now += rtt_ns;
	pace_flow_lost(&way->flow, lost);
	for (uint32_t i = 0; i < sent; i++) {
		pace_measured(&way->agent, &way->flow, 1, rtt_ns, way->now);
		pace_ended(&way->agent, &way->flow, (struct pace_place){ 0 });
	}
}

static void play_full_rounds(struct way *way, uint32_t rounds, uint64_t rtt_ns, uint32_t lost)
{
	for (uint32_t i = 0; i < rounds; i++)
		play_round(way, way->flow.window.size, rtt_ns, lost);
}

/* The window begins as configured, and grows by half a round while the node is as fast as ever. */
static void test_grows(void **state)
{
	static const uint32_t sizes[] = { 3, 5, 8, 12, 18, 20, 20 };
	struct way way = open_way(2, 20, false);

	assert_int_equal(way.flow.window.size, 2);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		play_full_rounds(&way, 1, 100 * US, 0);
		assert_int_equal(way.flow.window.size, sizes[i]);
	}
	/* It begins with no more than it may have. */
	way = open_way(16, 5, false);
	assert_int_equal(way.flow.window.size, 5);
}

/* A window that is not full does not grow, nor where the node becomes somewhat slower by it. */
static void test_stays(void **state)
{
	struct way way = open_way(4, 64, false);

	for (int i = 0; i < 20; i++)
		play_round(&way, 3, 100 * US, 0);
	assert_int_equal(way.flow.window.size, 4);
	play_full_rounds(&way, 20, 126 * US, 0);
	assert_int_equal(way.flow.window.size, 4);
	play_full_rounds(&way, 20, 200 * US, 0);
	assert_int_equal(way.flow.window.size, 4);
	play_full_rounds(&way, 1, 125 * US, 0);
	assert_int_equal(way.flow.window.size, 6);
}

/* Opens a way whose first round trip was @rtt_ns, of @first attempts that were sent at once. */
static struct way open_way_of(uint32_t first, uint64_t rtt_ns)
{
	struct way way = open_way(first, 64, false);

	play_round(&way, first - 1, rtt_ns, 0);
	play_round(&way, 1, rtt_ns, 0);
	assert_int_equal(way.flow.window.size, first);
	return way;
}

/* Plays a round of a node that serves one attempt after another, after what is still in flight. */
static void play_queue(struct way *way, uint64_t service_ns)
{
	uint32_t size = way->flow.window.size;

	play_round(way, size + way->flow.old, size * service_ns, 0);
}

/*
 * The window loses a quarter when round trips are more than twice the shortest, and again while a
 * smaller window shortens them, but keeps two.
 */
static void test_shrinks_when_slow(void **state)
{
	static const uint32_t sizes[] = { 27, 20, 15, 11, 8, 6, 4, 3, 2, 2 };
	struct way way = open_way_of(36, 100 * US);

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		play_queue(&way, 150 * US);
		assert_int_equal(way.flow.window.size, sizes[i]);
	}
}

/* A window that was narrowed in vain is as wide as before, and grows again. */
static void test_widens_when_narrower_is_no_faster(void **state)
{
	struct way way = open_way_of(36, 1 * MS);

	play_round(&way, 36, 50 * MS, 0);
	assert_int_equal(way.flow.window.size, 27);
	play_round(&way, 28, 50 * MS, 0);
	assert_int_equal(way.flow.window.size, 36);
	assert_int_equal(way.flow.inherent_ns, 49 * MS);
	play_full_rounds(&way, 1, 50 * MS, 0);
	assert_int_equal(way.flow.window.size, 54);
	/* The pace forgets the inherent excess when the node is as fast as at first. */
	way.flow.window.maximum = way.flow.window.size;
	play_full_rounds(&way, 8, 1 * MS, 0);
	assert_true(way.flow.inherent_ns < MS);
}

/* Replies to what a wider window has sent do not tell what the narrower one brings. */
static void test_judges_the_narrower_window(void **state)
{
	struct way way = open_way_of(36, 1 * MS);

	for (int i = 0; i < 72; i++)
		pace_sent(&way.agent, &way.flow);
	way.now += 50 * MS;
	for (int i = 0; i < 72; i++) {
		pace_measured(&way.agent, &way.flow, 1, 50 * MS, way.now);
		if (i == 35)
			assert_int_equal(way.flow.window.size, 27);
		pace_ended(&way.agent, &way.flow, (struct pace_place){ 0 });
	}
	/*
	 * One of the replies to the wider window was measured before it was counted out of flight.
	 */
	assert_int_equal(way.flow.old, 1);
	assert_int_equal(way.flow.replies, 0);
	play_round(&way, 28, 20 * MS, 0);
	assert_int_equal(way.flow.window.size, 20);
}

/* A small window is not judged so: masters are cautious, and few replies do not tell. */
static void test_small_windows_stay_narrow(void **state)
{
	struct way way = open_way(2, 64, false);

	play_full_rounds(&way, 3, 100 * US, 0);
	assert_int_equal(way.flow.window.size, 8);
	play_full_rounds(&way, 10, 500 * US, 0);
	assert_int_equal(way.flow.window.size, 2);
	assert_int_equal(way.flow.inherent_ns, 0);
}

/* Two attempts make no queue that doubles a round trip, so the least window grows again. */
static void test_leaves_the_least_window(void **state)
{
	struct way way = open_way_of(16, 1 * MS);

	way.flow.window.size = 2;
	play_full_rounds(&way, 1, 50 * MS, 0);
	assert_int_equal(way.flow.window.size, 3);
	play_full_rounds(&way, 3, 50 * MS, 0);
	assert_int_equal(way.flow.window.size, 12);
}

/* The queue that all flows share does not narrow the window of each. */
static void test_shared_queue_is_no_slowness(void **state)
{
	struct way way = open_way(8, 64, false);

	play_full_rounds(&way, 1, 100 * US, 0);
	assert_int_equal(way.flow.window.size, 12);
	way.agent.waiting_ns = 300 * US;
	play_full_rounds(&way, 1, 350 * US, 0);
	assert_int_equal(way.flow.window.size, 18);
	way.agent.waiting_ns = 0;
	play_full_rounds(&way, 1, 350 * US, 0);
	assert_int_equal(way.flow.window.size, 13);
}

/* The window halves when more than a quarter is lost, and never for that to less than two. */
static void test_halves_on_loss(void **state)
{
	struct way way = open_way(12, 64, false);

	/* A quarter of 16 is 4. */
	play_full_rounds(&way, 1, 100 * US, 4);
	assert_int_equal(way.flow.window.size, 18);
	play_full_rounds(&way, 1, 100 * US, 7);
	assert_int_equal(way.flow.window.size, 9);
	play_full_rounds(&way, 1, 100 * US, 9);
	assert_int_equal(way.flow.window.size, 4);
	/* Below that, losses say nothing of the window. */
	play_round(&way, 3, 100 * US, 0);
	play_round(&way, 1, 100 * US, 60000);
	assert_int_equal(way.flow.window.size, 4);
	assert_int_equal(way.flow.losses, 0);
}

static void test_losses_saturate(void **state)
{
	struct way way = open_way(64, 64, false);

	for (int i = 0; i < 3; i++)
		pace_flow_lost(&way.flow, 60000);
	assert_int_equal(way.flow.losses, UINT16_MAX);
	play_full_rounds(&way, 1, 100 * US, 0);
	assert_int_equal(way.flow.window.size, 32);
}

/* A round of a wide window ends after 512 replies. */
static void test_wide_rounds(void **state)
{
	struct way way = open_way(4000, 8000, false);

	for (int i = 0; i < 4000; i++)
		pace_sent(&way.agent, &way.flow);
	for (int i = 0; i < 512; i++) {
		assert_int_equal(way.flow.window.size, 4000);
		pace_measured(&way.agent, &way.flow, 1, 100 * US, way.now);
	}
	assert_int_equal(way.flow.window.size, 6000);
}

static void test_pinned(void **state)
{
	struct way way = open_way(2, 30, true);

	assert_int_equal(way.flow.window.size, 30);
	for (unsigned int i = 0; i < 50; i++) {
		play_full_rounds(&way, 1, (1 + i % 7) * 100 * US, i % 40);
		assert_int_equal(way.flow.window.size, 30);
	}
	assert_int_equal(way.flow.rtt.srtt != 0, 1);
}

/* A node is silent since the first of its attempts that had no reply. Any reply ends that. */
static void test_silent(void **state)
{
	struct way way = open_way(4, 8, false);

	assert_int_equal(way.flow.silent, 0);
	pace_silent(&way.flow, 5 * MS);
	pace_silent(&way.flow, 7 * MS);
	assert_int_equal(way.flow.silent, 2);
	assert_int_equal(way.flow.silent_since, 5 * MS);
	for (int i = 0; i < 300; i++)
		pace_silent(&way.flow, 8 * MS);
	assert_int_equal(way.flow.silent, 255);
	assert_int_equal(way.flow.silent_since, 5 * MS);
	pace_answered(&way.flow);
	assert_int_equal(way.flow.silent, 0);
	pace_silent(&way.flow, 9 * MS);
	assert_int_equal(way.flow.silent_since, 9 * MS);
}

/*
 * The timeout is the longer one of the agent's and the flow's, within the limits. The agent's needs
 * a whole round, and that of a node that has not answered is at least 2 ms.
 */
static void test_timeout(void **state)
{
	struct way way = open_way(4, 8, false);
	struct pace_flow other = pace_flow_open(&way.agent);

	way.agent.limits.first_timeout_ns = 5 * MS;
	way.agent.limits.min_timeout_ns = 200 * US;
	way.agent.limits.max_timeout_ns = 10 * MS;
	assert_int_equal(pace_timeout(&way.agent, &way.flow), 5 * MS);
	assert_int_equal(pace_timeout(&way.agent, NULL), 5 * MS);
	play_round(&way, 1, 100 * US, 0);
	/* SRTT and four times half of it, by RFC 6298. */
	assert_int_equal(pace_timeout(&way.agent, &way.flow), 300 * US);
	way.agent.limits.tick_ns = MS;
	assert_int_equal(pace_timeout(&way.agent, &way.flow), 1100 * US);
	way.agent.limits.tick_ns = 0;
	assert_int_equal(pace_timeout(&way.agent, NULL), 5 * MS);
	assert_int_equal(pace_timeout_now(&way.agent, NULL), 2 * MS);
	for (int i = 0; i < 7; i++)
		play_round(&way, 1, 100 * US, 0);
	assert_int_equal(way.agent.rounds, 1);
	assert_int_equal(pace_timeout(&way.agent, &other), 2 * MS);
	/* A round trip of a round that is not complete counts if it is longer than the mean. */
	pace_measured(&way.agent, &other, 1, 2 * MS, way.now);
	assert_int_equal(pace_timeout(&way.agent, NULL), 4 * MS);
	assert_true(pace_timeout_now(&way.agent, NULL) > 4 * MS);
	assert_int_equal(pace_timeout(&way.agent, &other), 6 * MS);
	pace_measured(&way.agent, &other, 1, 8 * MS, way.now);
	assert_int_equal(pace_timeout(&way.agent, &other), 10 * MS);
	/* Replies to repeated requests lengthen the shortest timeout. */
	way.agent.reordering = 3;
	assert_in_range(pace_timeout(&way.agent, &way.flow), 800 * US, 800 * US);
	/* Where nothing is repeated early, any attempt may be as slow as the slowest of late. */
	way.agent.limits.is_careful = true;
	way.agent.slowest_ns = 4 * MS;
	assert_int_equal(pace_timeout(&way.agent, &way.flow), 6 * MS);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_grows),
	cmocka_unit_test(test_stays),
	cmocka_unit_test(test_shrinks_when_slow),
	cmocka_unit_test(test_widens_when_narrower_is_no_faster),
	cmocka_unit_test(test_judges_the_narrower_window),
	cmocka_unit_test(test_small_windows_stay_narrow),
	cmocka_unit_test(test_leaves_the_least_window),
	cmocka_unit_test(test_shared_queue_is_no_slowness),
	cmocka_unit_test(test_halves_on_loss),
	cmocka_unit_test(test_losses_saturate),
	cmocka_unit_test(test_wide_rounds),
	cmocka_unit_test(test_pinned),
	cmocka_unit_test(test_silent),
	cmocka_unit_test(test_timeout),
};

TEST_MAIN(tests, NULL, NULL)
