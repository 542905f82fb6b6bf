/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A histogram of times, any 64-bit numbers, each kept to 1 part in 1,024 at worst, as
 * HdrHistogram with three digits has them. Recording takes the same few instructions whatever
 * the number; smallest, largest and mean are exact.
 */
#ifndef PING_HISTOGRAM_H
#define PING_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_PART_BITS 10u
#define HISTOGRAM_PARTS	    (1u << HISTOGRAM_PART_BITS) /* of each power of two */
#define HISTOGRAM_BUCKETS   (HISTOGRAM_PARTS * (64u - HISTOGRAM_PART_BITS + 1u))

/* Zeroed: empty. */
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
 * The least value of which it can be said that @percent of all are not greater: the upper end
 * of a bucket, and never more than the maximum. Of an empty histogram: 0.
 */
uint64_t histogram_percentile(const struct histogram *histogram, double percent);

/* How many are in the buckets that begin at @value or above it. */
uint64_t histogram_from(const struct histogram *histogram, uint64_t value);

/*
 * A value that was more than @interval kept those from being taken that were due meanwhile.
 * Adds to @corrected, which is empty, what is there, and those: value less interval, less two,
 * and so on. @interval: 0 corrects nothing.
 */
void histogram_correct(struct histogram *corrected, const struct histogram *histogram,
		       uint64_t interval);

/* The smallest and largest value of a bucket. */
uint64_t histogram_bucket_low(size_t bucket);
uint64_t histogram_bucket_high(size_t bucket);

#endif
