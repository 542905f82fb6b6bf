/* SPDX-License-Identifier: BSD-2-Clause */
/* MADs that arrive beside the expected reply: its duplicate, forgeries, and too many at once. */
#include "library_fixture.h"

#include <string.h>

static void test_an_answer_that_comes_twice_counts_once(void **state)
{
	struct outcomes outcomes = { 0 };
	struct madring_stats stats;
	struct fake_umad umad;
	struct fixture *fixture = *state;

	for (unsigned int i = 0; i < 100; i++) {
		fixture_send(fixture, 1, &outcomes);
		fixture_take(fixture, &umad);
		fake_make_reply(&umad);
		fake_send(&umad);
		fake_send(&umad);
		fixture_wait(fixture, &outcomes, i + 1);
	}
	fixture_send(fixture, 1, &outcomes);
	fixture_finish(fixture);
	madring_get_stats(fixture->ring, &stats);
	assert_int_equal(stats.unmatched, 100);
	assert_int_equal(stats.replies, 101);
}

/* Changes one thing that a reply must repeat of its request. */
static void forge(struct fake_umad *umad, unsigned int what)
{
	switch (what) {
	case 0:
		umad->mad[1] = 0x04; /* class */
		break;
	case 1:
		umad->mad[3] = MADRING_GET; /* a request, not a reply */
		break;
	case 2:
		umad->mad[15] ^= 1; /* TID: the slot */
		break;
	case 3:
		umad->mad[12] ^= 1; /* TID: the generation */
		break;
	case 4:
		umad->mad[17] ^= 1; /* attribute */
		break;
	case 5:
		umad->mad[23] ^= 1; /* modifier */
		break;
	case 6:
		umad->umad.addr.lid ^= htobe16(1); /* source */
		break;
	case 7:
		umad->umad.agent_id ^= 1;
		break;
	case 8:
		umad->length = 319;
		break;
	case 9:
		umad->length = 88;
		break;
	case 10:
		umad->length = 87;
		break;
	case 11:
		umad->length = 64;
		break;
	case 12:
		umad->length = 1;
		break;
	default:
		memset(umad->bytes, 0xff, FAKE_BYTES);
		break;
	}
}

#define FORGERIES 14

static void test_forgeries_match_nothing(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fake_umad umad, forged;
	struct madring_stats stats;
	struct fixture *fixture = *state;

	fixture_send(fixture, 1, &outcomes);
	fixture_take(fixture, &umad);
	fake_make_reply(&umad);
	for (unsigned int what = 0; what < FORGERIES; what++) {
		forged = umad;
		forge(&forged, what);
		fake_send(&forged);
		for (unsigned int turn = 0; turn < 3; turn++)
			assert_int_equal(madring_step(fixture->ring), 0);
	}
	madring_get_stats(fixture->ring, &stats);
	assert_int_equal(stats.received, FORGERIES);
	assert_int_equal(stats.unmatched + stats.malformed + stats.unsolicited + stats.notices,
			 FORGERIES);
	assert_int_equal(stats.replies, 0);
	fake_send(&umad);
	fixture_wait(fixture, &outcomes, 1);
	assert_int_equal(outcomes.last_status, 0);
}

/* The ring of provided buffers runs dry. */
static void test_replies_exceed_the_buffers(void **state)
{
	const struct madring_config config = { .transactions = 512, .reads = 64 };
	struct outcomes outcomes = { 0 };
	struct fixture fixture;

	fixture_open(&fixture, &config,
		     &(struct madring_agent_config){
			     .timeout_ms = MADRING_FOREVER, .window = 512, .pin_window = true });
	for (unsigned int round = 1; round <= 4; round++) {
		fixture_send(&fixture, 512, &outcomes);
		assert_int_equal(madring_submit(fixture.ring), 512);
		assert_int_equal(fake_answer_all(), 512);
		fixture_wait(&fixture, &outcomes, 512 * round);
	}
	fixture_close(&fixture);
}

static const struct CMUnitTest tests[] = {
	PATIENT_TEST(test_an_answer_that_comes_twice_counts_once),
	PATIENT_TEST(test_forgeries_match_nothing),
	cmocka_unit_test(test_replies_exceed_the_buffers),
};

TEST_MAIN(tests, NULL, NULL)
