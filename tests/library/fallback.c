/* SPDX-License-Identifier: BSD-2-Clause */
/* A kernel before 5.19, which knows no ring of provided buffers; a wrapper plays it. */
#include "library_fixture.h"

#include <errno.h>
#include <liburing.h>

int __wrap_io_uring_register_buf_ring(struct io_uring *ring, struct io_uring_buf_reg *reg,
				      unsigned int flags);

int __wrap_io_uring_register_buf_ring(struct io_uring *ring, struct io_uring_buf_reg *reg,
				      unsigned int flags)
{
	return -EINVAL;
}

static void test_posted_reads_replace_multishot(void **state)
{
	const struct madring_config config = { .transactions = 256, .reads = 64 };
	const struct madring_agent_config agent = { .mgmt_class = CLASS_SA, .class_version = 2 };
	struct outcomes outcomes = { 0 };
	struct madring_stats stats;
	struct fixture fixture;

	fake_reset(0, 0);
	assert_int_equal(madring_open(&fixture.ring, &config), 0);
	assert_int_equal(madring_port_open(fixture.ring, NULL, 0, NULL, &fixture.port), 0);
	assert_int_equal(madring_agent_open(fixture.port, &agent, &fixture.agent), 0);
	fixture_send(&fixture, 256, &outcomes);
	fixture_finish(&fixture);
	assert_int_equal(outcomes.count, 256);
	assert_int_equal(outcomes.last_status, 0);
	madring_get_stats(fixture.ring, &stats);
	assert_false(stats.multishot);
	fixture_close(&fixture);
}

static void test_chosen_strategy_is_not_replaced(void **state)
{
	const struct madring_config config = { .receive = MADRING_RECEIVE_MULTISHOT };
	struct madring_port *port;
	struct madring *ring;

	fake_reset(0, 0);
	assert_int_equal(madring_open(&ring, &config), 0);
	assert_int_equal(madring_port_open(ring, NULL, 0, NULL, &port), -ENOSYS);
	assert_int_equal(fake_lanes(), 0);
	assert_int_equal(madring_close(ring), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_posted_reads_replace_multishot),
	cmocka_unit_test(test_chosen_strategy_is_not_replaced),
};

TEST_MAIN(tests, NULL, NULL)
