/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A histogram of times, any 64-bit numbers. Each is kept to 1 part in 1,024 at worst, as
 * HdrHistogram with three digits has them. Recording takes the same few instructions whatever the
 * number. The smallest, the largest and the mean are exact.
 */
#ifndef PING_HISTOGRAM_H
#define PING_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_PART_BITS 10u
#define HISTOGRAM_PARTS	    (1u << HISTOGRAM_PART_BITS) /* of each power of two */
#define HISTOGRAM_BUCKETS   (HISTOGRAM_PARTS * (64u - HISTOGRAM_PART_BITS + 1u))

/* A histogram; a zeroed one is empty. */
struct histogram {
	uint64_t total;
	uint64_t min, max; /* of an empty one 0 */
	double sum;
	uint64_t count[HISTOGRAM_BUCKETS];
};

void histogram_record(struct histogram *histogram, uint64_t value);
void histogram_clear(struct histogram *histogram);

double histogram_mean(const struct histogram *histogram);
double histogram_deviation(const struct histogram *histogram); /* the standard one */

/*
 * Returns the least value that @percent of all values do not exceed, as the upper end of a bucket,
 * and never more than the maximum. Returns 0 for an empty histogram.
 */
uint64_t histogram_percentile(const struct histogram *histogram, double percent);

/* Returns how many values are in buckets that begin at @value or above it. */
uint64_t histogram_from(const struct histogram *histogram, uint64_t value);

/*
 * Fills @corrected, which is empty, with the values of @histogram and those that they kept from
 * being taken: a value of more than @interval stands for value less interval, less two intervals,
 * and so on. An @interval of 0 corrects nothing.
 */
void histogram_correct(struct histogram *corrected, const struct histogram *histogram,
		       uint64_t interval);

/*
 * `histogram_bucket_low` returns the smallest value of a bucket, and `histogram_bucket_high` the
 * largest.
 */
uint64_t histogram_bucket_low(size_t bucket);
uint64_t histogram_bucket_high(size_t bucket);

#endif
