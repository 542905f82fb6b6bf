/* SPDX-License-Identifier: BSD-2-Clause */
/* The agent's configuration says whether the caller wants BUSY and redirections as replies. */
#include "library_fixture.h"

#include <string.h>

#define BUSY	 0x0001
#define REDIRECT 0x0002

#define INFO 56 /* where an SA MAD has its ClassPortInfo */

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

/* Makes a redirect to LID 9, QP 5, Q_Key 0x80010203, SL 3. */
static void redirect(struct fake_umad *umad)
{
	static const uint8_t info[16] = { 0, 0x30, 0, 0,    0,	  9, 0,	   0,
					  0, 0,	   0, 0x05, 0x80, 1, 0x02, 0x03 };

	memcpy(umad->mad + INFO + 24, info, sizeof(info));
	answer_with(umad, REDIRECT);
}

static void test_agent_may_report_busy_and_redirects(void **state)
{
	const struct madring_agent_config config = {
		.timeout_ms = 60000,
		.report_busy = true,
		.report_redirects = true,
	};
	struct outcomes outcomes = { 0 };
	struct fixture fixture;
	struct fake_umad umad;

	fixture_open(&fixture, NULL, &config);
	send_one(&fixture, &outcomes);
	fixture_take(&fixture, &umad);
	answer_with(&umad, BUSY);
	fixture_wait(&fixture, &outcomes, 1);
	assert_int_equal(last_status, BUSY);
	send_one(&fixture, &outcomes);
	fixture_take(&fixture, &umad);
	redirect(&umad);
	fixture_wait(&fixture, &outcomes, 2);
	assert_int_equal(last_status, REDIRECT);
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_agent_may_report_busy_and_redirects),
};

TEST_MAIN(tests, NULL, NULL)
