/* SPDX-License-Identifier: BSD-2-Clause */
/* Replies that are none yet: the caller sees the answer that comes in the end. */
#include "fixture.h"

#include <string.h>

#define BUSY	 0x0001
#define REDIRECT 0x0002

#define INFO 56 /* where an SA MAD has its ClassPortInfo */

static const struct madring_agent_config patient = { .timeout_ms = 20, .retries = 200 };

static void take(struct fixture *fixture, struct fake_umad *umad)
{
	while (!fake_take(umad))
		assert_true(madring_run(fixture->ring, 1) >= 0);
}

static void answer_with(struct fake_umad *umad, uint8_t status)
{
	fake_make_reply(umad);
	umad->mad[5] = status;
	fake_send(umad);
}

static uint16_t last_status;

static void on_outcome(const struct madring_completion *completion)
{
	last_status = completion->mad ? madring_mad_status(completion->mad) : 0xffff;
	count_outcome(completion);
}

static void send_one(struct fixture *fixture, struct outcomes *outcomes)
{
	const struct madring_send_options send = { .callback = on_outcome, .user = outcomes };

	last_status = 0xffff;
	assert_int_equal(madring_send(fixture->agent, fixture_request(fixture, 7, 99), &send), 0);
}

static void test_busy_is_retried(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_ring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	fixture_open(&fixture, NULL, &patient);
	send_one(&fixture, &outcomes);
	for (unsigned int i = 0; i < 3; i++) {
		take(&fixture, &umad);
		answer_with(&umad, BUSY);
	}
	take(&fixture, &umad);
	assert_int_equal(outcomes.count, 0);
	fake_answer(&umad);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(last_status, 0);
	assert_int_equal(outcomes.last_mark, 99);
	assert_true(outcomes.last_attempts >= 4);
	madring_stats(fixture.ring, &stats);
	assert_int_equal(stats.busy, 3);
	assert_int_equal(stats.replies, 1);
	assert_int_equal(stats.pool.plain.in_use, 256);
	fixture_close(&fixture);
}

static void test_busy_at_last_is_the_answer(void **state)
{
	const struct madring_agent_config once = {
		.timeout_ms = 60000,
		.retries = MADRING_NO_RETRIES,
	};
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	fixture_open(&fixture, NULL, &once);
	send_one(&fixture, &outcomes);
	take(&fixture, &umad);
	answer_with(&umad, BUSY);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(last_status, BUSY);
	assert_int_equal(outcomes.last_attempts, 1);
	fixture_close(&fixture);
}

/* LID 9, QP 5, Q_Key 0x80010203, SL 3. */
static void redirect(struct fake_umad *umad)
{
	static const uint8_t info[16] = { 0, 0x30, 0, 0,    0,	  9, 0,	   0,
					  0, 0,	   0, 0x05, 0x80, 1, 0x02, 0x03 };

	memcpy(umad->mad + INFO + 24, info, sizeof(info));
	answer_with(umad, REDIRECT);
}

static void test_a_redirect_is_followed(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_ring_stats stats;
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	fixture_open(&fixture, NULL, &(struct madring_agent_config){ .timeout_ms = 60000 });
	send_one(&fixture, &outcomes);
	take(&fixture, &umad);
	assert_int_equal(umad.umad.addr.lid, htobe16(7));
	redirect(&umad);
	take(&fixture, &umad);
	assert_int_equal(umad.umad.addr.lid, htobe16(9));
	assert_int_equal(umad.umad.addr.qpn, htobe32(5));
	assert_int_equal(umad.umad.addr.qkey, htobe32(0x80010203));
	assert_int_equal(umad.umad.addr.sl, 3);
	fake_answer(&umad);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(last_status, 0);
	assert_int_equal(outcomes.last_attempts, 2);
	madring_stats(fixture.ring, &stats);
	assert_int_equal(stats.redirected, 1);
	assert_int_equal(stats.replies, 1);
	fixture_close(&fixture);
}

/* A GID would have to be resolved, which is the caller's affair. */
static void test_a_redirect_to_a_gid_is_the_answer(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	fixture_open(&fixture, NULL, &(struct madring_agent_config){ .timeout_ms = 60000 });
	send_one(&fixture, &outcomes);
	take(&fixture, &umad);
	memset(umad.mad + INFO + 8, 0xfe, 16);
	answer_with(&umad, REDIRECT);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(last_status, REDIRECT);
	assert_int_equal(outcomes.last_attempts, 1);
	fixture_close(&fixture);
}

static void test_an_agent_may_want_them_all(void **state)
{
	const struct madring_agent_config config = {
		.timeout_ms = 60000,
		.report_busy = true,
		.report_redirects = true,
	};
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct fake_umad umad;

	(void)state;
	fixture_open(&fixture, NULL, &config);
	send_one(&fixture, &outcomes);
	take(&fixture, &umad);
	answer_with(&umad, BUSY);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(last_status, BUSY);
	send_one(&fixture, &outcomes);
	take(&fixture, &umad);
	redirect(&umad);
	fixture_wait(&fixture, &outcomes, 2);
	assert_int_equal(last_status, REDIRECT);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_is_retried),
		cmocka_unit_test(test_busy_at_last_is_the_answer),
		cmocka_unit_test(test_a_redirect_is_followed),
		cmocka_unit_test(test_a_redirect_to_a_gid_is_the_answer),
		cmocka_unit_test(test_an_agent_may_want_them_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
