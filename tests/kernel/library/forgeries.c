/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replies that differ from their requests in what they should repeat, on the real driver. The
 * kernel drops some, and takes others for the answer that it has waited for; the library gives none
 * to a transaction, and the next attempt is answered as it should be.
 */
#include "library_fixture.h"

#include <string.h>

#define CLASS_DIRECT 0x81

/* Offsets of what is forged in the MAD. */
#define AT_CLASS      1
#define AT_METHOD     3
#define AT_HOP_COUNT  7
#define AT_GENERATION 12 /* of the TID's low half */
#define AT_SLOT	      15
#define AT_ATTRIBUTE  17
#define AT_MODIFIER   23
#define AT_PATH	      128
#define QUICK_MS      200

/* The kernel's verdict on a forgery: it passes it on, or not. */
enum kernel { DROPS_IT, PASSES_IT };

static const struct madring_agent_config quick = { .timeout_ms = QUICK_MS };
static const struct madring_agent_config quick_directed = {
	.mgmt_class = CLASS_DIRECT,
	.class_version = 1,
	.timeout_ms = QUICK_MS,
};

/*
 * Takes the next attempt. The kernel itself answers a request that nobody serves; that is skipped.
 */
static void take(struct fixture *fixture, struct fake_umad *umad)
{
	while (!fake_take(umad) || umad->mad[AT_METHOD] & MADRING_RESPONSE_BIT) {
		assert_true(madring_run(fixture->ring, 1) >= 0);
		assert_true(madring_outstanding(fixture->ring));
	}
}

/*
 * Requires that the forged answer to the first attempt ends nothing; the good one to the second
 * does.
 */
static void expect_second_attempt(struct fixture *fixture, struct outcomes *outcomes,
				  const struct fake_umad *forged, enum kernel kernel)
{
	struct madring_stats stats;
	struct fake_umad umad;

	fake_send(forged);
	take(fixture, &umad);
	assert_int_equal(outcomes->count, 0);
	fake_answer(&umad);
	fixture_wait(fixture, outcomes, 1);
	assert_int_equal(outcomes->last_status, 0);
	assert_true(outcomes->last_attempts >= 2);
	madring_get_stats(fixture->ring, &stats);
	assert_int_equal(stats.replies, 1);
	assert_int_equal(stats.unmatched, kernel == PASSES_IT);
	assert_int_equal(stats.unsolicited, 0);
}

/* Answers with a forgery, in which the bits @change of the byte @at are others. */
static void expect_forgery(unsigned int at, uint8_t change, enum kernel kernel)
{
	struct outcomes outcomes = { 0 };
	struct fake_umad umad;
	struct fixture fixture;

	fixture_open(&fixture, NULL, &quick);
	fixture_send(&fixture, 1, &outcomes);
	take(&fixture, &umad);
	fake_make_reply(&umad);
	umad.mad[at] ^= change;
	expect_second_attempt(&fixture, &outcomes, &umad, kernel);
	fixture_close(&fixture);
}

static void test_another_class(void **state)
{
	expect_forgery(AT_CLASS, 1, DROPS_IT);
}

static void test_a_request_in_place_of_the_reply(void **state)
{
	expect_forgery(AT_METHOD, MADRING_RESPONSE_BIT, DROPS_IT);
}

static void test_another_slot(void **state)
{
	expect_forgery(AT_SLOT, 1, DROPS_IT);
}

static void test_another_generation(void **state)
{
	expect_forgery(AT_GENERATION, 1, DROPS_IT);
}

static void test_another_attribute(void **state)
{
	expect_forgery(AT_ATTRIBUTE, 1, PASSES_IT);
}

static void test_another_modifier(void **state)
{
	expect_forgery(AT_MODIFIER, 1, PASSES_IT);
}

static void test_another_source(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fake_umad umad;
	struct fixture fixture;

	fixture_open(&fixture, NULL, &quick);
	fixture_send(&fixture, 1, &outcomes);
	take(&fixture, &umad);
	fake_make_reply(&umad);
	umad.umad.addr.lid ^= htobe16(2);
	expect_second_attempt(&fixture, &outcomes, &umad, PASSES_IT);
	fixture_close(&fixture);
}

/* Answers an SMP with a directed route by a forgery. */
static void expect_forged_route(unsigned int at, uint8_t change)
{
	const uint8_t path[] = { 0, 1, 3, 4 }; /* first by the only port */
	struct outcomes outcomes = { 0 };
	struct madring_send_options send = { .callback = count_outcome, .user = &outcomes };
	struct madring_agent *agent;
	struct madring_mad *mad;
	struct fake_umad umad;
	struct fixture fixture;

	fixture_open(&fixture, NULL, &quick);
	assert_int_equal(madring_agent_open(fixture.port, &quick_directed, &agent), 0);
	mad = madring_mad_alloc(agent);
	assert_int_equal(madring_smp_dr_prepare(mad, path, 3, MADRING_GET, 0x11, 0), 0);
	assert_int_equal(madring_send(agent, mad, &send), 0);
	take(&fixture, &umad);
	fake_make_reply(&umad);
	umad.mad[at] ^= change;
	expect_second_attempt(&fixture, &outcomes, &umad, PASSES_IT);
	fixture_close(&fixture);
}

static void test_another_path(void **state)
{
	expect_forged_route(AT_PATH + 2, 8);
}

static void test_another_hop_count(void **state)
{
	expect_forged_route(AT_HOP_COUNT, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_another_class),
	cmocka_unit_test(test_a_request_in_place_of_the_reply),
	cmocka_unit_test(test_another_slot),
	cmocka_unit_test(test_another_generation),
	cmocka_unit_test(test_another_attribute),
	cmocka_unit_test(test_another_modifier),
	cmocka_unit_test(test_another_source),
	cmocka_unit_test(test_another_path),
	cmocka_unit_test(test_another_hop_count),
};

TEST_MAIN(tests, NULL, NULL)
