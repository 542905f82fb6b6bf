/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies that are there all at once are reported a part at a time; the caller sees the whole. */
#include "library_fixture.h"

#include <errno.h>

#define ALL 24u /* more than a part, and no more than the kernel delivers in one go */

/* The kernel delivers 20 things in one go, but all that one lane has counts as one. */
static const struct madring_config one_lane = { .lanes = 1 };

static const struct madring_agent_config wide = {
	.window = 2 * ALL,
	.pin_window = true,
	.timeout_ms = MADRING_FOREVER,
};

static void open_with_all_answered(struct fixture *fixture, madring_callback callback, void *user)
{
	const struct madring_send_options send = { .callback = callback, .user = user };

	fixture_open(fixture, &one_lane, &wide);
	for (unsigned int i = 0; i < ALL; i++)
		assert_int_equal(madring_send(fixture->agent,
					      fixture_request(fixture, (uint16_t)(i + 1), i),
					      &send),
				 0);
	assert_int_equal(madring_run(fixture->ring, 0), 0);
	assert_int_equal(fake_answer_all(), ALL);
}

static void test_run_calls_back_for_every_reply(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_with_all_answered(&fixture, count_outcome, &outcomes);
	assert_int_equal(madring_run(fixture.ring, -1), ALL);
	assert_int_equal(outcomes.count, ALL);
	assert_int_equal(outcomes.last_status, 0);
	fixture_close(&fixture);
}

static void test_step_calls_back_for_every_reply(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	open_with_all_answered(&fixture, count_outcome, &outcomes);
	assert_int_equal(madring_step(fixture.ring), ALL);
	fixture_close(&fixture);
}

struct sender {
	struct fixture *fixture;
	struct outcomes first, second;
};

static void on_first(const struct madring_completion *completion)
{
	struct sender *sender = completion->user;
	const struct madring_send_options send = { .callback = count_outcome,
						   .user = &sender->second };
	unsigned int number = sender->first.count++;

	assert_int_equal(completion->status, 0);
	assert_int_equal(
		madring_send(sender->fixture->agent,
			     fixture_request(sender->fixture, (uint16_t)(number + 1), number),
			     &send),
		0);
}

/*
 * Requests that callbacks send may be written already, and are canceled before their completions
 * are collected.
 */
static void test_canceled_requests_end_at_the_next_dispatch(void **state)
{
	struct fixture fixture;
	struct sender sender = { .fixture = &fixture };

	open_with_all_answered(&fixture, on_first, &sender);
	assert_int_equal(madring_run(fixture.ring, -1), ALL);
	assert_int_equal(madring_agent_cancel(fixture.agent), ALL);
	assert_int_equal(madring_dispatch(fixture.ring, 0), ALL);
	assert_int_equal(sender.first.count, ALL);
	assert_int_equal(sender.second.count, ALL);
	assert_int_equal(sender.second.last_status, -ECANCELED);
	assert_int_equal(madring_outstanding(fixture.ring), 0);
	fixture_close(&fixture);
}

static void on_reply_cancel_all(const struct madring_completion *completion)
{
	struct sender *sender = completion->user;

	if (!sender->first.count++)
		madring_agent_cancel(sender->fixture->agent);
	if (completion->status)
		assert_int_equal(completion->status, -ECANCELED);
	else
		sender->second.count++;
}

/* Replies that are there are taken before the rest is canceled. */
static void test_a_callback_may_cancel_the_rest(void **state)
{
	struct fixture fixture;
	struct sender sender = { .fixture = &fixture };

	open_with_all_answered(&fixture, on_reply_cancel_all, &sender);
	fixture_drain(&fixture);
	assert_int_equal(sender.first.count, ALL);
	assert_int_equal(sender.second.count, ALL);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_run_calls_back_for_every_reply),
		cmocka_unit_test(test_step_calls_back_for_every_reply),
		cmocka_unit_test(test_canceled_requests_end_at_the_next_dispatch),
		cmocka_unit_test(test_a_callback_may_cancel_the_rest),
	};

	return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
