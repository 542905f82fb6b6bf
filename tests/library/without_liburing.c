/* SPDX-License-Identifier: BSD-2-Clause */
/* A library that was built without liburing. */
#include "library_fixture.h"

#include <errno.h>
#include <stdlib.h>

static void test_plain_system_calls_are_chosen(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_stats stats;
	struct fixture fixture;

	fixture_open(&fixture, NULL, &fixture_patient);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.driver, MADRING_DRIVER_PLAIN);
	assert_int_equal(stats.driver_reason, -ENOSYS);
	assert_string_equal(madring_driver_text(fixture.ring),
			    "plain system calls: madring was built without io_uring");
	fixture_send(&fixture, 500, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 500);
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

static void test_io_uring_cannot_be_had(void **state)
{
	struct madring_config config = { .driver = MADRING_DRIVER_URING };
	struct madring *ring;

	assert_int_equal(madring_open(&ring, &config), -ENOSYS);
	/* Only io_uring has a kernel thread that submits. */
	config = (struct madring_config){ .sqpoll_idle_ms = 1 };
	assert_int_equal(madring_open(&ring, &config), -ENOSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_system_calls_are_chosen),
		cmocka_unit_test(test_io_uring_cannot_be_had),
	};

	unsetenv("MADRING_DRIVER");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
