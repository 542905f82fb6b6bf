/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver of plain system calls reads the replies that it expects, and the others later. */
#include "library_fixture.h"

static void open_plain(struct fixture *fixture)
{
	const struct madring_config config = {
		.driver = MADRING_DRIVER_PLAIN,
		.lanes = 1,
		.spin_us = MADRING_NO_SPIN,
	};

	fixture_open(fixture, &config, &fixture_patient);
}

static struct madring_stats stats_of(const struct fixture *fixture)
{
	struct madring_stats stats;

	madring_get_stats(fixture->ring, &stats);
	return stats;
}

static void test_no_read_finds_the_lane_empty(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	uint64_t before;

	open_plain(&fixture);
	fixture_send(&fixture, 3, &outcomes);
	assert_int_equal(madring_run(fixture.ring, 0), 0);
	assert_int_equal(fake_answer_all(), 3);
	before = stats_of(&fixture).entries;
	assert_int_equal(madring_run(fixture.ring, -1), 3);
	/* One poll(2), and a read(2) for each reply. */
	assert_int_equal(stats_of(&fixture).entries - before, 4);
	fixture_close(&fixture);
}

static void test_unexpected_mads_are_read_later(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct fake_umad umad;

	open_plain(&fixture);
	fixture_send(&fixture, 1, &outcomes);
	assert_int_equal(madring_run(fixture.ring, 0), 0);
	assert_true(fake_take(&umad));
	fake_make_reply(&umad);
	for (unsigned int i = 0; i < 50; i++)
		fake_send(&umad);
	assert_int_equal(madring_run(fixture.ring, -1), 1);
	assert_int_equal(stats_of(&fixture).received, 1);
	/* All of it is read before the next request is waited for. */
	fixture_send(&fixture, 1, &outcomes);
	assert_int_equal(madring_run(fixture.ring, 0), 0);
	assert_int_equal(fake_answer_all(), 1);
	while (outcomes.count < 2)
		assert_true(madring_run(fixture.ring, -1) >= 0);
	assert_int_equal(stats_of(&fixture).received, 51);
	assert_int_equal(stats_of(&fixture).unmatched, 49);
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_read_finds_the_lane_empty),
		cmocka_unit_test(test_unexpected_mads_are_read_later),
	};

	return cmocka_run_group_tests_name("plain-reads", tests, NULL, NULL);
}
