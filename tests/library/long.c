/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replies that are longer than a receive buffer, as RMPP brings them, and between them plain ones.
 */
#include "library_messages.h"

#include <errno.h>

static void test_a_reply_of_any_length(void **state)
{
	static const size_t lengths[] = { 36,
					  MADRING_SA_DATA,
					  MADRING_SA_DATA + 1,
					  255,
					  256,
					  257,
					  MADRING_SA_DATA + 2 * SEGMENT,
					  2048,
					  2049,
					  MADRING_SA_DATA + 7 * SEGMENT - 1,
					  MADRING_SA_DATA + 1000 * SEGMENT,
					  MADRING_SA_DATA + 50000 * 112,
					  MADRING_SA_DATA + 40000 * SEGMENT,
					  16 << 20 };
	struct madring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	messages_open(&fixture, NULL, &by_kernel);
	for (uint32_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		umad = ask(&fixture, i);
		answer(&umad, lengths[i]);
		wait_for_replies(&fixture, i + 1);
		assert_int_equal(last_reply.status, 0);
		assert_int_equal(last_reply.length, lengths[i]);
	}
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool_message_in_use, 0);
	assert_true(stats.pool_message_peak >= 16 << 20);
	assert_int_equal(stats.malformed, 0);
	fixture_close(&fixture);
}

/* A message shorter than a MAD needs RMPP. */
static void test_short_message_needs_rmpp(void **state)
{
	struct fixture fixture;
	struct madring_stats stats;
	struct fake_umad umad;

	messages_open(&fixture, NULL, NULL);
	umad = ask(&fixture, 1);
	answer(&umad, 255);
	for (unsigned int turn = 0; turn < 3; turn++)
		assert_int_equal(madring_step(fixture.ring), 0);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.malformed, 1);
	fixture_close(&fixture);
}

static void test_plain_replies_before_and_behind_a_message(void **state)
{
	const struct madring_config config = { .lanes = 1 };
	struct outcomes outcomes = { 0 };
	struct fake_umad plain[100], umad;
	struct fixture fixture;

	messages_open(&fixture, &config, &by_kernel);
	for (unsigned int round = 1; round <= 3; round++) {
		fixture_send(&fixture, 100, &outcomes);
		for (unsigned int i = 0; i < 100; i++)
			while (!fake_take(&plain[i]))
				assert_int_equal(madring_step(fixture.ring), 0);
		umad = ask(&fixture, round);
		for (unsigned int i = 0; i < 50; i++)
			fake_answer(&plain[i]);
		answer(&umad, MADRING_SA_DATA + 1000 * SEGMENT);
		for (unsigned int i = 50; i < 100; i++)
			fake_answer(&plain[i]);
		fixture_wait(&fixture, &outcomes, 100 * round);
		wait_for_replies(&fixture, round);
		assert_int_equal(last_reply.status, 0);
		assert_int_equal(last_reply.length, MADRING_SA_DATA + 1000 * SEGMENT);
	}
	fixture_close(&fixture);
}

static void test_many_at_once(void **state)
{
	struct fake_umad umad[64];
	struct fixture fixture;

	messages_open(&fixture, NULL, &by_kernel);
	for (uint32_t i = 0; i < 64; i++)
		umad[i] = ask(&fixture, i);
	for (uint32_t i = 0; i < 64; i++)
		answer(&umad[i], MADRING_SA_DATA + i % 5 * SEGMENT + 10);
	wait_for_replies(&fixture, 64);
	assert_int_equal(last_reply.status, 0);
	fixture_close(&fixture);
}

/* A long reply that nobody waits for is taken off the queue. */
static void test_nobodys_long_reply(void **state)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 64 << 10 };
	struct madring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	messages_open(&fixture, &config, &by_kernel);
	for (unsigned int i = 0; i < 2; i++) {
		umad = ask(&fixture, 1);
		madring_agent_cancel(fixture.agent);
		wait_for_replies(&fixture, i + 1);
		answer(&umad, i ? 1000000 : 5000);
	}
	umad = ask(&fixture, 2);
	answer(&umad, 5000);
	wait_for_replies(&fixture, 3);
	assert_int_equal(last_reply.status, 0);
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.unmatched, 2);
	assert_int_equal(stats.pool_message_in_use, 0);
	fixture_close(&fixture);
}

static void test_kept_messages_stay(void **state)
{
	const struct madring_config config = { .lanes = 1, .message_bytes = 1 << 20 };
	struct madring_stats stats;
	struct madring_mad *kept[4];
	struct fixture fixture;
	struct fake_umad umad;

	messages_open(&fixture, &config, &by_kernel);
	for (uint32_t i = 0; i < 4; i++) {
		last_reply.keep = &kept[i];
		umad = ask(&fixture, i);
		answer(&umad, 10000 + i);
		wait_for_replies(&fixture, i + 1);
	}
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(message_is_filled(madring_mad_data(kept[i]), 10000 + i, i));
		assert_true(madring_mad_room(fixture.ring, kept[i]) >= 10000 + i);
		madring_mad_free(fixture.ring, kept[i]);
	}
	madring_get_stats(fixture.ring, &stats);
	assert_int_equal(stats.pool_message_in_use, 0);
	assert_int_equal(stats.pool_plain_in_use, 256);
	fixture_close(&fixture);
}

/* The length in the header is not believed beyond the message's own. */
static void test_a_wrong_length_is_not_believed(void **state)
{
	static const uint32_t told[] = { UINT32_MAX, 1u << 31, 1 << 30, 5000 + HEADER + 1 };
	const unsigned int count = sizeof(told) / sizeof(told[0]);
	const struct madring_config config = { .lanes = 1, .message_bytes = 64 << 10 };
	struct fixture fixture;
	struct fake_umad umad;

	messages_open(&fixture, &config, &by_kernel);
	for (unsigned int i = 0; i < count; i++) {
		umad = ask(&fixture, i);
		answer_as(&umad, 5000, told[i]);
		wait_for_replies(&fixture, i + 1);
		assert_int_equal(last_reply.status, i < 3 ? -EMSGSIZE : 0);
	}
	/*
	 * The message is shorter than the kernel has said: the file makes no sense, and is used no
	 * more.
	 */
	umad = ask(&fixture, 9);
	answer_as(&umad, 5000, FAKE_BYTES + 1);
	wait_for_replies(&fixture, count + 1);
	assert_int_equal(last_reply.status, -ENODEV);
	fixture_close(&fixture);
}

/* The device is still there, and the message still waits to be read. */
static void test_a_read_that_fails_is_made_again(void **state)
{
	static const int errors[] = { -ENOMEM, -EIO, -EINTR };
	struct fixture fixture;

	messages_open(&fixture, NULL, &by_kernel);
	for (uint32_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct fake_umad request = ask(&fixture, i);

		answer(&request, 20000);
		fake_fail_read(errors[i]);
		while (last_reply.count <= i)
			assert_true(madring_run(fixture.ring, -1) >= 0);
		assert_int_equal(last_reply.status, 0);
		assert_int_equal(last_reply.length, 20000);
	}
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_a_reply_of_any_length),
	cmocka_unit_test(test_short_message_needs_rmpp),
	cmocka_unit_test(test_plain_replies_before_and_behind_a_message),
	cmocka_unit_test(test_many_at_once),
	cmocka_unit_test(test_nobodys_long_reply),
	cmocka_unit_test(test_kept_messages_stay),
	cmocka_unit_test(test_a_wrong_length_is_not_believed),
	cmocka_unit_test(test_a_read_that_fails_is_made_again),
};

TEST_MAIN(tests, NULL, NULL)
