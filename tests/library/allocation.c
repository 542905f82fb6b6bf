/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An open ring allocates nothing on the path of a MAD: jemalloc, which is this process' malloc,
 * counts no byte for this thread, whichever library asks.
 */
#include "by_thread.h"
#include "library_fixture.h"

#include <stdlib.h>
#include <jemalloc/jemalloc.h>

static uint64_t allocated(void)
{
	uint64_t bytes;
	size_t size = sizeof(bytes);

	assert_int_equal(mallctl("thread.allocated", &bytes, &size, NULL, 0), 0);
	return bytes;
}

static void test_the_count_counts(void **state)
{
	uint64_t before = allocated();
	void *volatile some = malloc(1000);

	free(some);
	assert_true(allocated() >= before + 1000);
}

static unsigned int ended;

static void on_ended(const struct madring_completion *completion)
{
	ended++;
}

static void send_some(struct fixture *fixture, unsigned int count)
{
	const struct madring_send_options send = { .callback = on_ended };

	for (unsigned int i = 0; i < count; i++) {
		struct madring_mad *mad = fixture_request(fixture, (uint16_t)(i + 1), i);

		if (madring_send(fixture->agent, mad, &send) < 0)
			madring_mad_free(fixture->ring, mad);
	}
}

static void test_requests_allocate_no_memory(void **state)
{
	const struct madring_agent_config config = { .timeout_ms = 3, .retries = 1 };
	/* A thread of the kernel's is waited for, until nearly all are late. */
	const unsigned int rounds = by_thread() ? 5 : 50;
	struct madring_stats stats;
	struct fake_umad umad;
	struct fixture fixture;
	uint64_t before;

	fixture_open(&fixture, NULL, &config);
	before = allocated();
	for (unsigned int round = 0; round < rounds; round++) {
		send_some(&fixture, 1000);
		fixture_finish(&fixture);
	}
	/* Silence, a forgery, retries, timeouts, cancels. */
	send_some(&fixture, 500);
	madring_submit(fixture.ring);
	while (fake_take(&umad)) {
		umad.mad[12]++;
		fake_answer(&umad);
	}
	while (ended < 1000 * rounds + 500)
		assert_true(madring_run(fixture.ring, 100) >= 0);
	send_some(&fixture, 500);
	madring_step(fixture.ring);
	assert_int_equal(madring_agent_cancel(fixture.agent), 500);
	fixture_drain(&fixture);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(allocated(), before);
	assert_int_equal(ended, 1000 * rounds + 1000);
	assert_true(stats.timed_out > 0 && stats.retried > 0 && stats.unmatched > 0);
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_count_counts),
	cmocka_unit_test(test_requests_allocate_no_memory),
};

TEST_MAIN(tests, NULL, NULL)
