/* SPDX-License-Identifier: BSD-2-Clause */
/* Loss comes from the seed alone, at the rate that was asked for. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mad.h>

#include "support.h"

#define SENDS 100000

static const uint8_t path[] = { 1, 2, 4 };

/* Stores which of the sends were answered, one byte each. Returns their count. */
static size_t play(uint64_t seed, double loss, unsigned int hops, uint8_t *answered)
{
	struct topology *topology = read_data("two-switches.net");
	const struct fabric_config config = { .seed = seed, .model.loss = loss };
	const struct fabric_packet packet = directed(IB_ATTR_NODE_INFO, 0, hops, path);
	struct fabric_packet answer;
	struct fabric *fabric;
	size_t count = 0;
	int endpoint;

	assert_int_equal(fabric_open(&fabric, topology, &config), 0);
	endpoint = fabric_attach(fabric, topology->nodes[0], 1);
	for (size_t i = 0; i < SENDS; i++) {
		answered[i] = ask(fabric, endpoint, &packet, &answer);
		count += answered[i];
	}
	assert_int_equal(fabric_stats(fabric)->dropped[FABRIC_DROP_LOST], SENDS - count);
	assert_int_equal(fabric_stats(fabric)->delivered, count);
	fabric_close(fabric);
	return count;
}

static void same_seed_same_outcome(void **state)
{
	uint8_t *first = malloc(SENDS), *second = malloc(SENDS), *other = malloc(SENDS);

	assert_true(first && second && other);
	play(42, 0.05, 3, first);
	play(42, 0.05, 3, second);
	play(43, 0.05, 3, other);
	assert_memory_equal(first, second, SENDS);
	assert_memory_not_equal(first, other, SENDS);
	free(first);
	free(second);
	free(other);
}

/* A request and its answer draw once each; four standard deviations are allowed. */
static void rate_is_as_asked(void **state)
{
	static const double rates[] = { 0.001, 0.05, 0.5, 0.9 };
	uint8_t *answered = malloc(SENDS);

	assert_non_null(answered);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		double p = (1 - rates[i]) * (1 - rates[i]);
		double count = (double)play(7, rates[i], 3, answered);

		assert_true(fabs(count - SENDS * p) < 4 * sqrt(SENDS * p * (1 - p)));
	}
	free(answered);
}

static void all_or_nothing(void **state)
{
	uint8_t *answered = malloc(SENDS);

	assert_non_null(answered);
	assert_int_equal(play(1, 0, 3, answered), SENDS);
	assert_int_equal(play(1, 1, 3, answered), 0);
	/* A packet that stays in its node crosses no link. */
	assert_int_equal(play(1, 1, 0, answered), SENDS);
	free(answered);
}

static void invalid_rates_are_refused(void **state)
{
	static const double rates[] = { -0.1, 1.1, NAN };
	struct topology *topology = read_data("two-switches.net");
	struct fabric *fabric;

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const struct fabric_config config = { .model.loss = rates[i] };

		assert_int_equal(fabric_open(&fabric, topology, &config), -EINVAL);
	}
	topology_free(topology);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(same_seed_same_outcome),
	cmocka_unit_test(rate_is_as_asked),
	cmocka_unit_test(all_or_nothing),
	cmocka_unit_test(invalid_rates_are_refused),
};

TEST_MAIN(tests, NULL, NULL)
