/* SPDX-License-Identifier: BSD-2-Clause */
/* Round trips by RFC 6298's numbers, and the histogram's percentiles against a sorted list. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "base/rtt.h"
#include "model/common/prng.h"

#define US 1000u
#define MS (1000u * US)

/* Integer division may cost a few ns at each step. */
static void assert_near(uint64_t value, uint64_t expected)
{
	assert_in_range(value, expected - 8, expected + 8);
}

static void test_no_sample(void **state)
{
	struct rtt_estimate estimate = { 0 };

	assert_int_equal(rtt_estimate_timeout(&estimate, MS), 0);
}

/* Section 2.2: SRTT = R, RTTVAR = R / 2, RTO = SRTT + max(G, 4 RTTVAR). */
static void test_first_sample(void **state)
{
	struct rtt_estimate estimate = { 0 };

	rtt_estimate_add(&estimate, 100 * MS);
	assert_int_equal(estimate.srtt, 100 * MS);
	assert_int_equal(estimate.rttvar, 50 * MS);
	assert_int_equal(rtt_estimate_timeout(&estimate, MS), 300 * MS);
}

/* Section 2.3: RTTVAR first, with the old SRTT; alpha 1/8, beta 1/4. */
static void test_next_samples(void **state)
{
	struct rtt_estimate estimate = { 0 };

	rtt_estimate_add(&estimate, 100 * MS);
	rtt_estimate_add(&estimate, 60 * MS);
	assert_near(estimate.rttvar, 47500 * US); /* 3/4 50 + 1/4 40 */
	assert_near(estimate.srtt, 95 * MS);	  /* 7/8 100 + 1/8 60 */
	rtt_estimate_add(&estimate, 175 * MS);
	assert_near(estimate.rttvar, 55625 * US); /* 3/4 47.5 + 1/4 80 */
	assert_near(estimate.srtt, 105 * MS);
	assert_near(rtt_estimate_timeout(&estimate, MS), 327500 * US);
}

/* A round trip that never varies leaves the clock's granularity as the margin. */
static void test_granularity(void **state)
{
	struct rtt_estimate estimate = { 0 };

	for (int i = 0; i < 200; i++)
		rtt_estimate_add(&estimate, 10 * MS);
	assert_near(estimate.srtt, 10 * MS);
	assert_near(rtt_estimate_timeout(&estimate, MS), 11 * MS);
}

static void test_estimate_saturates(void **state)
{
	struct rtt_estimate estimate = { 0 };

	rtt_estimate_add(&estimate, UINT64_MAX);
	assert_int_equal(estimate.srtt, UINT32_MAX);
	for (int i = 0; i < 100; i++)
		rtt_estimate_add(&estimate, i % 2 ? UINT64_MAX : 1);
	assert_true(estimate.srtt > 0);
	assert_true(rtt_estimate_timeout(&estimate, MS) > estimate.srtt);
	rtt_estimate_add(&estimate, 0);
	assert_true(estimate.srtt > 0);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void check_percentiles(const struct rtt_histogram *histogram, uint64_t *value,
			      uint64_t count)
{
	qsort(value, count, sizeof(*value), compare);
	for (unsigned int per_mille = 1; per_mille <= 1000; per_mille++) {
		uint64_t rank = (count * per_mille + 999) / 1000;
		uint64_t exact = value[rank - 1];
		uint64_t got = rtt_histogram_percentile(histogram, per_mille);

		assert_in_range(got, exact, exact + exact / RTT_PARTS);
		assert_true(got <= histogram->max_ns);
	}
	assert_int_equal(histogram->min_ns, value[0]);
	assert_int_equal(histogram->max_ns, value[count - 1]);
}

static void test_percentiles(void **state)
{
	static uint64_t value[20000];
	struct prng prng;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct rtt_histogram histogram = { 0 };
		uint64_t sum = 0, count;

		prng_seed(&prng, seed);
		count = prng_log_range(&prng, 1, sizeof(value) / sizeof(*value));
		for (uint64_t i = 0; i < count; i++) {
			value[i] = seed % 3 ? prng_log_range(&prng, 1, (1ull << 40) - 1)
					    : prng_below(&prng, 100);
			rtt_histogram_add(&histogram, value[i]);
			sum += value[i];
		}
		assert_int_equal(histogram.count, count);
		assert_int_equal(histogram.sum_ns, sum);
		check_percentiles(&histogram, value, count);
	}
}

/* No value near a power of two falls between two buckets. */
static void test_every_boundary(void **state)
{
	for (unsigned int power = 0; power < RTT_POWERS; power++) {
		for (uint64_t off = 0; off < 3; off++) {
			struct rtt_histogram histogram = { 0 };
			uint64_t value = (1ull << power) + off - 1;

			rtt_histogram_add(&histogram, value);
			check_percentiles(&histogram, &value, 1);
		}
	}
}

static void test_histogram_saturates(void **state)
{
	struct rtt_histogram histogram = { 0 };

	assert_int_equal(rtt_histogram_percentile(&histogram, 500), 0);
	rtt_histogram_add(&histogram, 1ull << 40);
	rtt_histogram_add(&histogram, UINT64_MAX);
	assert_int_equal(histogram.count, 2);
	assert_int_equal(histogram.max_ns, UINT64_MAX);
	assert_true(rtt_histogram_percentile(&histogram, 500) >= (1ull << 40) - (1ull << 35));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_sample),	   cmocka_unit_test(test_first_sample),
	cmocka_unit_test(test_next_samples),	   cmocka_unit_test(test_granularity),
	cmocka_unit_test(test_estimate_saturates), cmocka_unit_test(test_percentiles),
	cmocka_unit_test(test_every_boundary),	   cmocka_unit_test(test_histogram_saturates),
};

TEST_MAIN(tests, NULL, NULL)
