/* SPDX-License-Identifier: BSD-2-Clause */
/* What waits in a node: until that goes off, or for ever. */
#include <infiniband/mad.h>

#include "support.h"

#define HOP	600
#define SERVICE 18000
#define MS	1000000

static struct topology *topology;
static struct fabric *fabric;
static int endpoint;

/* dual[1] - left[2] - right[4] - host. */
static const uint8_t to_host[] = { 1, 2, 4 };

static int set_up(void **state)
{
	struct fabric_model model = fabric_real;

	(void)state;
	model.training = 0;
	model.queue = 2;
	topology = read_data("two-switches.net");
	fabric = open_fabric(topology, "dual", 1, &endpoint);
	assert_int_equal(fabric_set_model(fabric, &model), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fabric_close(fabric);
	return 0;
}

static const struct topology_node *named(const char *name)
{
	return topology_find(topology, name);
}

static void send_at(uint64_t now, unsigned int hops)
{
	const struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, hops, to_host);

	fabric_send(fabric, endpoint, &packet, now);
}

/* When the next answer comes; FABRIC_NEVER: none does. */
static uint64_t next_answer(void)
{
	struct fabric_packet answer;
	uint64_t now;
	int at;

	while ((now = fabric_next_event(fabric)) != FABRIC_NEVER)
		if (fabric_receive(fabric, now, &at, &answer))
			return now;
	return FABRIC_NEVER;
}

static void off_and_on(const char *name)
{
	fabric_set_health(fabric, named(name), FABRIC_OFF);
	fabric_set_health(fabric, named(name), FABRIC_WELL);
}

static uint64_t dropped(enum fabric_drop cause)
{
	return fabric_stats(fabric)->dropped[cause];
}

/* Requests that wait for the agent: the queue that they were in is empty again. */
static void requests(void **state)
{
	(void)state;
	fabric_stall(fabric, named("left"), 100 * MS);
	send_at(0, 1);
	send_at(0, 1);
	send_at(0, 1);
	fabric_run(fabric, MS);
	assert_int_equal(dropped(FABRIC_DROP_FULL), 1);
	off_and_on("left");
	send_at(2 * MS, 1);
	send_at(2 * MS, 1);
	assert_int_equal(next_answer(), 2 * MS + 2 * HOP + SERVICE);
	assert_int_equal(next_answer(), 2 * MS + 2 * HOP + 2 * SERVICE);
	assert_int_equal(next_answer(), FABRIC_NEVER);
	assert_int_equal(dropped(FABRIC_DROP_DEAD), 2);
	assert_int_equal(dropped(FABRIC_DROP_FULL), 1);
}

static void passing_through(void **state)
{
	(void)state;
	send_at(0, 2);
	fabric_run(fabric, HOP + 1);
	off_and_on("left");
	assert_int_equal(next_answer(), FABRIC_NEVER);
	assert_int_equal(dropped(FABRIC_DROP_DEAD), 1);
}

static void late_answers(void **state)
{
	(void)state;
	fabric_set_lateness(fabric, named("left"), 5 * MS);
	send_at(0, 1);
	fabric_run(fabric, MS);
	off_and_on("left");
	assert_int_equal(next_answer(), FABRIC_NEVER);
	assert_int_equal(dropped(FABRIC_DROP_DEAD), 1);
}

/* Longer than there is time for is not at once. */
static void for_ever(void **state)
{
	(void)state;
	fabric_stall(fabric, named("left"), UINT64_MAX - 1);
	fabric_stall(fabric, named("left"), UINT64_MAX - 1);
	send_at(MS, 1);
	assert_int_equal(next_answer(), FABRIC_NEVER);
	fabric_set_lateness(fabric, named("right"), UINT64_MAX - 1);
	send_at(2 * MS, 2);
	assert_int_equal(next_answer(), FABRIC_NEVER);
	fabric_set_service(fabric, named("host"), UINT64_MAX - 1);
	send_at(3 * MS, 3);
	send_at(3 * MS, 3);
	assert_int_equal(next_answer(), FABRIC_NEVER);
	assert_int_equal(fabric_now(fabric), 3 * MS + 3 * HOP + 2 * 4000);
}

#define WAITING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WAITING_TEST(requests),
		WAITING_TEST(passing_through),
		WAITING_TEST(late_answers),
		WAITING_TEST(for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
