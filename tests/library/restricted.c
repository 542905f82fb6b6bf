/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * restricted ERRNO: a process that may not use io_uring, or whose kernel has none that madring can
 * use. tests/restrict starts it so. ERRNO is the reason that the library has to give.
 */
#include "library_fixture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct reason {
	const char *name;
	int error;
	const char *text;
} reasons[] = {
	{ "ENOSYS", -ENOSYS, "plain system calls: this kernel has no io_uring" },
	{ "EPERM", -EPERM, "plain system calls: this process may not use io_uring" },
	{ "EOPNOTSUPP", -EOPNOTSUPP, "plain system calls: this kernel's io_uring is too old" },
};

static const struct reason *reason;

static void expect_plain(const struct madring *ring, int error, const char *text)
{
	struct madring_stats stats;

	madring_get_stats(ring, &stats);
	assert_int_equal(stats.driver, MADRING_DRIVER_PLAIN);
	assert_int_equal(stats.driver_reason, error);
	assert_string_equal(madring_driver_text(ring), text);
}

static void test_plain_driver_replaces_restricted_uring(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	fixture_open(&fixture, NULL, &fixture_patient);
	expect_plain(fixture.ring, reason->error, reason->text);
	fixture_send(&fixture, 500, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 500);
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

static void test_chosen_driver_is_not_replaced(void **state)
{
	const struct madring_config uring = { .driver = MADRING_DRIVER_URING };
	const struct madring_config thread = { .sqpoll_idle_ms = 1 };
	struct madring *ring;

	assert_int_equal(madring_open(&ring, &uring), reason->error);
	assert_int_equal(madring_open(&ring, &thread), reason->error);
	assert_int_equal(setenv("MADRING_DRIVER", "uring", 1), 0);
	assert_int_equal(madring_open(&ring, NULL), reason->error);
	assert_int_equal(unsetenv("MADRING_DRIVER"), 0);
}

static void test_chosen_plain_driver_has_no_reason(void **state)
{
	const struct madring_config plain = { .driver = MADRING_DRIVER_PLAIN };
	struct madring *ring;

	assert_int_equal(madring_open(&ring, &plain), 0);
	expect_plain(ring, 0, "plain system calls");
	assert_int_equal(madring_close(ring), 0);
	assert_int_equal(setenv("MADRING_DRIVER", "plain", 1), 0);
	assert_int_equal(madring_open(&ring, NULL), 0);
	expect_plain(ring, 0, "plain system calls");
	assert_int_equal(madring_close(ring), 0);
	assert_int_equal(unsetenv("MADRING_DRIVER"), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_driver_replaces_restricted_uring),
		cmocka_unit_test(test_chosen_driver_is_not_replaced),
		cmocka_unit_test(test_chosen_plain_driver_has_no_reason),
	};

	for (size_t i = 0; argc == 2 && i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (!strcmp(argv[1], reasons[i].name))
			reason = &reasons[i];
	if (!reason)
		return EXIT_FAILURE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
