/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>

#include "histogram.h"

/*
 * Returns the bucket of a value. The first 2 * PARTS buckets hold one value each; above, each power
 * of two has PARTS buckets, twice as wide as those of the last.
 */
static size_t bucket_of(uint64_t value)
{
	unsigned int shift;

	if (value < 2 * HISTOGRAM_PARTS)
		return value;
	shift = 63u - (unsigned int)__builtin_clzll(value) - HISTOGRAM_PART_BITS;
	return (size_t)shift * HISTOGRAM_PARTS + (size_t)(value >> shift);
}

static unsigned int shift_of(size_t bucket)
{
	return bucket < 2 * HISTOGRAM_PARTS ? 0 : (unsigned int)(bucket / HISTOGRAM_PARTS) - 1;
}

uint64_t histogram_bucket_low(size_t bucket)
{
	unsigned int shift = shift_of(bucket);

	return (bucket - (uint64_t)shift * HISTOGRAM_PARTS) << shift;
}

uint64_t histogram_bucket_high(size_t bucket)
{
	return histogram_bucket_low(bucket) + ((uint64_t)1 << shift_of(bucket)) - 1;
}

/* Records @times values that are evenly spread from @least to @most, all in one bucket. */
static void record_many(struct histogram *histogram, uint64_t least, uint64_t most, uint64_t times)
{
	if (!histogram->total || least < histogram->min)
		histogram->min = least;
	if (most > histogram->max)
		histogram->max = most;
	histogram->total += times;
	histogram->sum += ((double)least + (double)most) / 2 * (double)times;
	histogram->count[bucket_of(most)] += times;
}

static void record_times(struct histogram *histogram, uint64_t value, uint64_t times)
{
	record_many(histogram, value, value, times);
}

void histogram_record(struct histogram *histogram, uint64_t value)
{
	record_times(histogram, value, 1);
}

void histogram_clear(struct histogram *histogram)
{
	memset(histogram, 0, sizeof(*histogram));
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->total ? histogram->sum / (double)histogram->total : 0;
}

static double bucket_middle(size_t bucket)
{
	return ((double)histogram_bucket_low(bucket) + (double)histogram_bucket_high(bucket)) / 2;
}

double histogram_deviation(const struct histogram *histogram)
{
	double mean = histogram_mean(histogram), squares = 0;

	if (!histogram->total)
		return 0;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		double off = bucket_middle(i) - mean;

		if (histogram->count[i])
			squares += off * off * (double)histogram->count[i];
	}
	return sqrt(squares / (double)histogram->total);
}

/* Returns how many of @total are @percent of them; at least one. */
static uint64_t rank_of(uint64_t total, double percent)
{
	double rank = ceil(percent / 100 * (double)total);

	if (rank < 1)
		return 1;
	return rank >= (double)total ? total : (uint64_t)rank;
}

uint64_t histogram_percentile(const struct histogram *histogram, double percent)
{
	uint64_t rank = rank_of(histogram->total, percent), seen = 0;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS && histogram->total; i++) {
		seen += histogram->count[i];
		if (seen >= rank) {
			uint64_t high = histogram_bucket_high(i);

			return high < histogram->max ? high : histogram->max;
		}
	}
	return histogram->max;
}

uint64_t histogram_from(const struct histogram *histogram, uint64_t value)
{
	size_t first = bucket_of(value);
	uint64_t count = 0;

	if (histogram_bucket_low(first) < value)
		first++;
	for (size_t i = first; i < HISTOGRAM_BUCKETS; i++)
		count += histogram->count[i];
	return count;
}

/*
 * Records @value less @interval, less two intervals, and so on. It takes one step for each bucket,
 * because a value may be billions of intervals.
 */
static void record_missing(struct histogram *corrected, uint64_t value, uint64_t interval,
			   uint64_t times)
{
	while (interval && value / 2 >= interval) {
		uint64_t most = value - interval, low = histogram_bucket_low(bucket_of(most));
		uint64_t steps = (most - (low > interval ? low : interval)) / interval;

		value = most - steps * interval;
		record_many(corrected, value, most, (steps + 1) * times);
	}
}

void histogram_correct(struct histogram *corrected, const struct histogram *histogram,
		       uint64_t interval)
{
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t high = histogram_bucket_high(i), value;

		if (!histogram->count[i])
			continue;
		value = high < histogram->max ? high : histogram->max;
		record_times(corrected, value, histogram->count[i]);
		record_missing(corrected, value, interval, histogram->count[i]);
	}
	if (histogram->total && histogram->min < corrected->min)
		corrected->min = histogram->min;
}
