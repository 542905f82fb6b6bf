/* SPDX-License-Identifier: BSD-2-Clause */
/* The histogram against the numbers themselves, sorted; its correction; its text. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"

#include "madring-ping/histogram.h"
#include "madring-ping/histogram_text.h"
#include "madring-ping/plot.h"

#define SAMPLES 20000u

static struct histogram histogram, corrected;

static int clear(void **state)
{
	histogram_clear(&histogram);
	histogram_clear(&corrected);
	return 0;
}

static void test_buckets_cover_all_numbers(void **state)
{
	assert_int_equal(histogram_bucket_low(0), 0);
	for (size_t i = 0; i + 1 < HISTOGRAM_BUCKETS; i++)
		assert_true(histogram_bucket_high(i) + 1 == histogram_bucket_low(i + 1));
	assert_true(histogram_bucket_high(HISTOGRAM_BUCKETS - 1) == UINT64_MAX);
}

static void test_buckets_are_narrow(void **state)
{
	for (size_t i = 1; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t low = histogram_bucket_low(i);

		assert_true(histogram_bucket_high(i) - low <= low / HISTOGRAM_PARTS);
	}
}

static void test_extremes_are_recorded(void **state)
{
	const uint64_t values[] = { 0, 1, 2047, 2048, 2049, UINT64_MAX - 1, UINT64_MAX };
	const size_t count = sizeof(values) / sizeof(values[0]);

	for (size_t i = 0; i < count; i++)
		histogram_record(&histogram, values[i]);
	assert_int_equal(histogram.total, count);
	assert_int_equal(histogram.min, 0);
	assert_true(histogram.max == UINT64_MAX);
	assert_true(histogram_percentile(&histogram, 100) == UINT64_MAX);
	assert_int_equal(histogram_percentile(&histogram, 0), 0);
	assert_int_equal(histogram_from(&histogram, 2048), 4);
	assert_int_equal(histogram_from(&histogram, UINT64_MAX / 2), 2);
}

static void test_nothing(void **state)
{
	assert_int_equal(histogram_percentile(&histogram, 50), 0);
	assert_true(histogram_mean(&histogram) == 0);
	assert_true(histogram_deviation(&histogram) == 0);
	assert_int_equal(histogram_from(&histogram, 0), 0);
}

static int compare(const void *a, const void *b)
{
	uint64_t left, right;

	memcpy(&left, a, sizeof(left));
	memcpy(&right, b, sizeof(right));
	return left < right ? -1 : left > right;
}

/* Numbers of all sizes, from a generator that is the same everywhere. */
static uint64_t next_number(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (*seed >> 20) >> (*seed % 44);
}

static void test_percentiles_are_those_of_the_numbers(void **state)
{
	const double percents[] = { 0, 1, 25, 50, 75, 90, 99, 99.9, 99.99, 100 };
	static uint64_t values[SAMPLES];
	uint64_t seed = 7;
	double sum = 0;

	for (size_t i = 0; i < SAMPLES; i++) {
		values[i] = next_number(&seed);
		sum += (double)values[i];
		histogram_record(&histogram, values[i]);
	}
	qsort(values, SAMPLES, sizeof(values[0]), compare);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		double exact_rank = percents[i] / 100 * SAMPLES;
		size_t rank = (size_t)exact_rank + (exact_rank > (double)(size_t)exact_rank);
		uint64_t exact = values[rank ? rank - 1 : 0];
		uint64_t found = histogram_percentile(&histogram, percents[i]);

		assert_true(found >= exact && found - exact <= exact / HISTOGRAM_PARTS);
	}
	assert_true(histogram.min == values[0] && histogram.max == values[SAMPLES - 1]);
	assert_true(histogram_mean(&histogram) == sum / SAMPLES);
}

static void test_deviation(void **state)
{
	const uint64_t values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		histogram_record(&histogram, values[i]);
	assert_true(histogram_deviation(&histogram) == 2);
}

/* One sample of 100 us among 1 us each leaves out 99, whose times fall from 99 us to 1 us. */
static void test_correction(void **state)
{
	for (unsigned int i = 0; i < 999; i++)
		histogram_record(&histogram, 1000);
	histogram_record(&histogram, 100000);
	histogram_correct(&corrected, &histogram, 1000);
	assert_int_equal(corrected.total, 1000 + 99);
	assert_int_equal(corrected.max, 100000);
	assert_int_equal(corrected.min, 1000);
	assert_int_equal(histogram_from(&corrected, 49500), 51);
	assert_int_equal(histogram_from(&histogram, 50000), 1);
}

/* The correction records every number below a large one: too many to record one by one. */
static void test_correction_of_many(void **state)
{
	const uint64_t large = UINT64_C(10000000000000);
	double mean;

	histogram_record(&histogram, large);
	histogram_correct(&corrected, &histogram, 1);
	assert_true(corrected.total == large);
	assert_int_equal(corrected.min, 1);
	assert_true(corrected.max == large);
	assert_true(histogram_from(&corrected, 2048) == large - 2047);
	mean = histogram_mean(&corrected) / ((double)large / 2);
	assert_true(mean > 0.9999 && mean < 1.0001);

	/* Two intervals do not fit into a bucket, and one is left over. */
	histogram_clear(&corrected);
	histogram_correct(&corrected, &histogram, large / 3);
	assert_int_equal(corrected.total, 3);
	assert_true(corrected.min == large - 2 * (large / 3));
}

static void test_delays_below_the_interval_stay(void **state)
{
	histogram_record(&histogram, 1000);
	histogram_record(&histogram, 1999);
	histogram_correct(&corrected, &histogram, 1000);
	assert_int_equal(corrected.total, 2);
	histogram_clear(&corrected);
	histogram_correct(&corrected, &histogram, 0);
	assert_int_equal(corrected.total, 2);
}

/* Runs @write into memory; to be freed. */
static char *text_of(void (*write)(FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	write(out);
	fclose(out);
	return text;
}

static void write_text(FILE *out)
{
	histogram_text(out, &histogram);
}

static void test_text(void **state)
{
	static const char *const lines[] = {
		"       Value     Percentile TotalCount 1/(1-Percentile)\n\n",
		"       1.000 0.000000000000       1000           1.00\n",
		"       1.000 0.500000000000       1000           2.00\n",
		"       3.001 0.990625000000       1990         106.67\n",
		"     200.000 1.000000000000       2000\n",
		"#[Mean    =        2.985, StdDeviation   =       14.0",
		"#[Max     =      200.000, Total count    =         2000]\n",
	};
	char *text;

	for (unsigned int i = 0; i < 1000; i++)
		histogram_record(&histogram, 1000);
	for (unsigned int i = 0; i < 990; i++)
		histogram_record(&histogram, 3000);
	for (unsigned int i = 0; i < 10; i++)
		histogram_record(&histogram, 200000);
	text = text_of(write_text);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(text, lines[i]))
			fail_msg("no line %s in:\n%s", lines[i], text);
	free(text);
}

static void write_plot(FILE *out)
{
	plot_svg(out, &histogram, "A <title> & more");
}

static void expect_plot(const char *what)
{
	char *text = text_of(write_plot);

	assert_non_null(strstr(text, what));
	assert_non_null(strstr(text, "A &lt;title&gt; &amp; more"));
	assert_non_null(strstr(text, "</svg>\n"));
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "inf"));
	free(text);
}

static void test_plot(void **state)
{
	expect_plot("<svg ");
	histogram_record(&histogram, 1000);
	expect_plot("<polyline");
	histogram_record(&histogram, 0);
	expect_plot("<polyline");
	histogram_record(&histogram, UINT64_MAX);
	expect_plot("<polyline");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_buckets_cover_all_numbers),
	cmocka_unit_test(test_buckets_are_narrow),
	cmocka_unit_test_setup(test_extremes_are_recorded, clear),
	cmocka_unit_test_setup(test_nothing, clear),
	cmocka_unit_test_setup(test_percentiles_are_those_of_the_numbers, clear),
	cmocka_unit_test_setup(test_deviation, clear),
	cmocka_unit_test_setup(test_correction, clear),
	cmocka_unit_test_setup(test_correction_of_many, clear),
	cmocka_unit_test_setup(test_delays_below_the_interval_stay, clear),
	cmocka_unit_test_setup(test_text, clear),
	cmocka_unit_test_setup(test_plot, clear),
};

TEST_MAIN(tests, NULL, NULL)
