/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Retries by the kernel, on a line of nodes that loses packets, and whose last,
 * host-01-00, is dead: it tries as often as it is told, and each transaction has one attempt.
 */
#include "abilities_local.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define TIMEOUT_MS 20
#define RETRIES	   60
#define ASKED	   100

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct outcomes {
	unsigned int answered, timed_out;
};

static void on_outcome(const struct madring_completion *completion)
{
	struct outcomes *outcomes = completion->user;

	assert_int_equal(completion->attempts, 1);
	assert_int_equal(completion->rtt_ns, 0);
	if (completion->status == -ETIMEDOUT) {
		outcomes->timed_out++;
		return;
	}
	assert_int_equal(completion->status, 0);
	assert_int_equal(madring_mad_status(completion->mad), 0);
	outcomes->answered++;
}

/* Asks the node at the end of @path, @count times at once; how that ended. */
static struct outcomes ask(struct local *local, struct madring_agent *agent, const uint8_t *path,
			   unsigned int hops, unsigned int count, int retries)
{
	struct outcomes outcomes = { 0 };
	const struct madring_send_options send = {
		.callback = on_outcome,
		.user = &outcomes,
		.timeout_ms = TIMEOUT_MS,
		.retries = retries,
		.kernel_retries = true,
	};
	struct madring_stats stats;

	for (unsigned int i = 0; i < count; i++) {
		struct madring_mad *mad = local_mad(agent);

		assert_int_equal(madring_smp_dr_prepare(mad, path, hops, MADRING_GET, NODE_INFO, 0),
				 0);
		assert_int_equal(madring_send(agent, mad, &send), 0);
	}
	while (madring_outstanding(local->ring))
		assert_true(madring_run(local->ring, -1) >= 0);
	assert_int_equal(outcomes.answered + outcomes.timed_out, count);
	madring_get_stats(local->ring, &stats);
	assert_int_equal(stats.retried, 0);
	return outcomes;
}

/* madring makes one attempt, so that whatever was lost, the kernel has sent again. */
static void test_kernel_sends_lost_requests_again(void **state)
{
	static const uint8_t path[] = { 0, 1, 1 };
	struct local local;
	struct outcomes outcomes;

	local_open(&local);
	outcomes = ask(&local, local_agent(&local, CLASS_DIRECTED), path, 2, ASKED, RETRIES);
	assert_int_equal(outcomes.answered, ASKED);
	local_close(&local);
}

static void test_without_retries_some_are_lost(void **state)
{
	static const uint8_t path[] = { 0, 1, 1 };
	struct local local;
	struct outcomes outcomes;

	local_open(&local);
	outcomes = ask(&local, local_agent(&local, CLASS_DIRECTED), path, 2, ASKED, 0);
	assert_true(outcomes.timed_out > 0);
	local_close(&local);
}

static void test_a_dead_node_takes_all_the_time(void **state)
{
	static const uint8_t path[] = { 0, 1, 1, 2, 2 };
	struct local local;
	struct outcomes outcomes;
	uint64_t start;

	local_open(&local);
	start = now_ms();
	outcomes = ask(&local, local_agent(&local, CLASS_DIRECTED), path, 4, 1, 4);
	assert_int_equal(outcomes.timed_out, 1);
	assert_true(now_ms() - start >= 5 * TIMEOUT_MS);
	local_close(&local);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_kernel_sends_lost_requests_again),
	cmocka_unit_test(test_without_retries_some_are_lost),
	cmocka_unit_test(test_a_dead_node_takes_all_the_time),
};

TEST_MAIN(tests, NULL, NULL)
