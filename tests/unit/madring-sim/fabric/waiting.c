/* SPDX-License-Identifier: BSD-2-Clause */
/* The MADs that wait in a node: until it goes off, or for ever. */
#include <infiniband/mad.h>

#include "timed_support.h"

static int set_up(void **state)
{
	struct fabric_model model = real_nodes;

	model.training = 0;
	model.queue = 2;
	open_timed(&model);
	return 0;
}

static void off_and_on(const char *name)
{
	fabric_set_health(fabric, named(name), FABRIC_OFF);
	fabric_set_health(fabric, named(name), FABRIC_WELL);
}

/* Requests that wait for the agent leave the queue empty when the node goes off. */
static void requests(void **state)
{
	fabric_stall(fabric, named("left"), 100 * MS);
	send_at(0, 1);
	send_at(0, 1);
	send_at(0, 1);
	fabric_run(fabric, MS);
	assert_int_equal(dropped(FABRIC_DROP_FULL), 1);
	off_and_on("left");
	send_at(2 * MS, 1);
	send_at(2 * MS, 1);
	expect_answer_at(2 * MS + 2 * HOP + SWITCH);
	expect_answer_at(2 * MS + 2 * HOP + 2 * SWITCH);
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_DEAD), 2);
	assert_int_equal(dropped(FABRIC_DROP_FULL), 1);
}

static void passing_through(void **state)
{
	send_at(0, 2);
	fabric_run(fabric, HOP + 1);
	off_and_on("left");
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_DEAD), 1);
}

static void late_answers(void **state)
{
	fabric_set_lateness(fabric, named("left"), 5 * MS);
	send_at(0, 1);
	fabric_run(fabric, MS);
	off_and_on("left");
	expect_silence();
	assert_int_equal(dropped(FABRIC_DROP_DEAD), 1);
}

/* A wait longer than the clock's range does not end at once. */
static void for_ever(void **state)
{
	fabric_set_lateness(fabric, named("right"), UINT64_MAX - 1);
	send_at(2 * MS, 2);
	expect_silence();
	fabric_set_service(fabric, named("host"), UINT64_MAX - 1);
	send_at(3 * MS, 3);
	send_at(3 * MS, 3);
	expect_silence();
	assert_int_equal(fabric_now(fabric), 3 * MS + 3 * HOP + 3 * 4000);
	fabric_stall(fabric, named("left"), UINT64_MAX - 1);
	fabric_stall(fabric, named("left"), UINT64_MAX - 1);
	send_at(4 * MS, 1);
	send_at(4 * MS, 2);
	expect_silence();
}

#define WAITING_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	WAITING_TEST(requests),
	WAITING_TEST(passing_through),
	WAITING_TEST(late_answers),
	WAITING_TEST(for_ever),
};

TEST_MAIN(tests, NULL, NULL)
