/* SPDX-License-Identifier: BSD-2-Clause */
/* The times at which an open loop sends, and the rates that a ramp tries. */
#include "cmocka_all.h"

#include "madring-ping/ramp.h"
#include "madring-ping/schedule.h"

#define START 1234567890123u

static void expect_consistent(const struct schedule *schedule, uint64_t number)
{
	uint64_t due = schedule_due(schedule, number);

	/*
	 * A request is due at its time, and not a nanosecond before, unless others have the same
	 * time.
	 */
	assert_true(schedule_count(schedule, due) > number);
	if (number)
		assert_true(schedule_count(schedule, due - 1) <= number ||
			    schedule_due(schedule, number) == schedule_due(schedule, number - 1));
}

static void test_request_is_due_once(void **state)
{
	const uint64_t rates[] = { 1000, 3000, 7001, 333333, 1000000, 999999937, 100000000000 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const struct schedule schedule = { .start_ns = START,
						   .count = rates[i],
						   .span_ns = 1000000000000u };

		for (uint64_t number = 0; number < 3000; number++) {
			expect_consistent(&schedule, number);
			expect_consistent(&schedule, number * 1000003);
		}
	}
}

static void test_no_error_adds_up(void **state)
{
	/* Three a second: the thirty millionth is due after ten million seconds, to the ns. */
	const struct schedule schedule = { .start_ns = START,
					   .count = 3000,
					   .span_ns = 1000000000000u };

	assert_true(schedule_due(&schedule, 1) == START + 333333333u);
	assert_true(schedule_due(&schedule, 30000000) == START + 10000000000000000u);
	assert_true(schedule_count(&schedule, START + 10000000000000000u) == 30000001);
}

static void test_before_and_at_the_start(void **state)
{
	const struct schedule schedule = { .start_ns = START, .count = 1, .span_ns = 1000 };

	assert_int_equal(schedule_count(&schedule, START - 1), 0);
	assert_int_equal(schedule_count(&schedule, START), 1);
	assert_int_equal(schedule_count(&schedule, START + 999), 1);
	assert_int_equal(schedule_count(&schedule, START + 1000), 2);
}

/* Runs a ramp against something that takes @limit; returns the number of steps. */
static unsigned int climb(struct ramp *ramp, uint64_t first, uint64_t limit)
{
	unsigned int steps = 1;

	for (ramp_start(ramp, first); ramp_next(ramp, ramp->rate_mhz <= limit); steps++)
		assert_true(steps < 100);
	return steps;
}

static void test_ramp_finds_the_limit(void **state)
{
	const uint64_t limits[] = { 2000, 3333, 999999, 1000000, 1000001, 123456789, 40000000000 };
	struct ramp ramp;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		assert_true(climb(&ramp, 1000000, limits[i]) < 40);
		assert_true(ramp.held_mhz && ramp.held_mhz <= limits[i]);
		assert_true(ramp.broke_mhz > limits[i]);
		assert_true(ramp.broke_mhz - ramp.held_mhz <= ramp.broke_mhz / 20);
	}
}

static void test_ramp_that_never_holds(void **state)
{
	struct ramp ramp;

	climb(&ramp, 1000000, 0);
	assert_int_equal(ramp.held_mhz, 0);
	assert_true(ramp.broke_mhz >= RAMP_LEAST_MHZ && ramp.broke_mhz < 2 * RAMP_LEAST_MHZ);
}

static void test_ramp_that_always_holds(void **state)
{
	struct ramp ramp;

	climb(&ramp, 1000000, UINT64_MAX);
	assert_int_equal(ramp.broke_mhz, 0);
	assert_true(ramp.held_mhz <= RAMP_MOST_MHZ && ramp.held_mhz > RAMP_MOST_MHZ / 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_request_is_due_once),
	cmocka_unit_test(test_no_error_adds_up),
	cmocka_unit_test(test_before_and_at_the_start),
	cmocka_unit_test(test_ramp_finds_the_limit),
	cmocka_unit_test(test_ramp_that_never_holds),
	cmocka_unit_test(test_ramp_that_always_holds),
};

TEST_MAIN(tests, NULL, NULL)
