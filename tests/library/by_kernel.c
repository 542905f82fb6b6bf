/* SPDX-License-Identifier: BSD-2-Clause */
/* Retries by the kernel: what it is told, and that nothing but it ends the attempt. */
#include "library_fixture.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void send_one(struct fixture *fixture, struct outcomes *outcomes, int timeout_ms,
		     int retries)
{
	const struct madring_send_options send = {
		.callback = count_outcome,
		.user = outcomes,
		.timeout_ms = timeout_ms,
		.retries = retries,
		.kernel_retries = true,
	};

	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 7, 1), &send), 0);
}

/* Checks the header against that which libibumad writes for the same request. */
static void expect_as_umad_send(const struct fake_umad *umad, int timeout_ms, int retries)
{
	struct fake_umad expected = *umad;
	int files[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, files), 0);
	expected.umad.timeout_ms = expected.umad.retries = 12345;
	/* libibumad assumes the short header while no port is open. */
	assert_int_equal(umad_send(files[0], (int)umad->umad.agent_id, expected.bytes,
				   (int)(FAKE_BYTES - umad_size()), timeout_ms, retries),
			 0);
	assert_int_equal(read(files[1], expected.bytes, sizeof(expected.bytes)), FAKE_BYTES);
	close(files[0]);
	close(files[1]);
	assert_int_equal(umad->length, FAKE_BYTES);
	assert_memory_equal(umad->bytes, expected.bytes, FAKE_BYTES);
}

static void test_kernel_gets_timeout_and_retries(void **state)
{
	static const int patience[][2] = {
		{ 1, 0 },	 { 100, 3 },	       { 250, 254 },
		{ 60000, 1000 }, { INT_MAX, INT_MAX }, { -1, 5 },
	};
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;
	struct fake_umad umad;

	for (unsigned int i = 0; i < sizeof(patience) / sizeof(patience[0]); i++) {
		send_one(fixture, &outcomes, patience[i][0], patience[i][1]);
		fixture_take(fixture, &umad);
		expect_as_umad_send(&umad, patience[i][0], patience[i][1]);
		fake_answer(&umad);
		fixture_wait(fixture, &outcomes, i + 1);
		assert_int_equal(outcomes.last_status, 0);
		assert_int_equal(outcomes.last_attempts, 1);
	}
}

/* The library writes the request once, however long it waits, and the notice ends it. */
static void test_notice_ends_a_request_of_the_kernel(void **state)
{
	struct outcomes outcomes = { 0 }, others = { 0 };
	struct madring_send_options quick = {
		.callback = count_outcome,
		.user = &others,
		.timeout_ms = 20,
		.retries = MADRING_NO_RETRIES,
	};
	struct madring_stats stats;
	struct fixture *fixture = *state;
	struct fake_umad umad, other;

	send_one(fixture, &outcomes, 1, 3);
	fixture_take(fixture, &umad);
	/* The other request times out meanwhile, which shows that time has passed. */
	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 8, 2), &quick), 0);
	fixture_wait(fixture, &others, 1);
	assert_int_equal(others.last_status, -ETIMEDOUT);
	assert_int_equal(outcomes.count, 0);
	assert_true(fake_take(&other));
	assert_int_equal(fixture_mark(other.mad), 2);
	assert_false(fake_take(&other));

	fake_notice(&umad);
	fixture_wait(fixture, &outcomes, 1);
	assert_int_equal(outcomes.last_status, -ETIMEDOUT);
	assert_int_equal(outcomes.last_attempts, 1);
	madring_get_stats(fixture->ring, &stats);
	assert_int_equal(stats.retried, 0);
	assert_int_equal(stats.notices, 1);
}

static void on_busy(const struct madring_completion *completion)
{
	assert_int_equal(completion->status, 0);
	assert_int_equal(madring_mad_status(completion->mad), 1);
	/* Nobody knows which of the kernel's attempts was answered. */
	assert_int_equal(completion->rtt_ns, 0);
	count_outcome(completion);
}

/* Any reply ends the request, even one that says BUSY. */
static void test_any_reply_is_the_end(void **state)
{
	struct outcomes outcomes = { 0 };
	const struct madring_send_options send = {
		.callback = on_busy,
		.user = &outcomes,
		.timeout_ms = 60000,
		.retries = 3,
		.kernel_retries = true,
	};
	struct madring_stats stats;
	struct fixture *fixture = *state;
	struct fake_umad umad;

	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 7, 1), &send), 0);
	fixture_take(fixture, &umad);
	fake_make_reply(&umad);
	umad.mad[5] = 1;
	fake_send(&umad);
	fixture_wait(fixture, &outcomes, 1);
	madring_get_stats(fixture->ring, &stats);
	assert_int_equal(stats.rtt_count, 0);
}

static void test_bad_patience_is_refused(void **state)
{
	static const struct madring_send_options bad[] = {
		{ .kernel_retries = true },
		{ .kernel_retries = true, .timeout_ms = -2 },
		{ .kernel_retries = true, .timeout_ms = 100, .retries = -1 },
		{ .kernel_retries = true, .timeout_ms = 100, .no_reply = true },
	};
	struct fixture *fixture = *state;
	struct madring_mad *mad;

	mad = fixture_request(fixture, 7, 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(madring_send(fixture->agent, mad, &bad[i]), -EINVAL);
	madring_mad_free(fixture->ring, mad);
}

static const struct CMUnitTest tests[] = {
	FIXTURE_TEST(test_kernel_gets_timeout_and_retries),
	FIXTURE_TEST(test_notice_ends_a_request_of_the_kernel),
	FIXTURE_TEST(test_any_reply_is_the_end),
	FIXTURE_TEST(test_bad_patience_is_refused),
};

TEST_MAIN(tests, NULL, NULL)
