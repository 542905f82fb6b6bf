/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <math.h>

#include "histogram_text.h"

#define STEPS_TO_HALF 5 /* points for each halving of what is above; HdrHistogram's own default */

static double next_percent(double percent)
{
	double halvings = floor(log2(100 / (100 - percent))) + 1;

	return percent + 100 / (STEPS_TO_HALF * exp2(halvings));
}

void histogram_points(const struct histogram *histogram, histogram_point point, void *context)
{
	uint64_t seen = 0;
	double percent = 0;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS && seen < histogram->total; i++) {
		uint64_t high = histogram_bucket_high(i);

		if (!histogram->count[i])
			continue;
		seen += histogram->count[i];
		if (high > histogram->max)
			high = histogram->max;
		while (percent <= 100.0 * (double)seen / (double)histogram->total) {
			point(context, high, percent / 100, seen);
			percent = next_percent(percent);
			if (seen == histogram->total)
				break;
		}
	}
	if (seen)
		point(context, histogram->max, 1, seen);
}

static double in_us(double ns)
{
	return ns / 1e3;
}

static void write_point(void *context, uint64_t value, double part, uint64_t count)
{
	FILE *out = context;

	if (part < 1)
		fprintf(out, "%12.3f %2.12f %10" PRIu64 " %14.2f\n", in_us((double)value), part,
			count, 1 / (1 - part));
	else
		fprintf(out, "%12.3f %2.12f %10" PRIu64 "\n", in_us((double)value), part, count);
}

void histogram_text(FILE *out, const struct histogram *histogram)
{
	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	histogram_points(histogram, write_point, out);
	fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
		in_us(histogram_mean(histogram)), in_us(histogram_deviation(histogram)));
	fprintf(out, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n",
		in_us((double)histogram->max), histogram->total);
	fprintf(out, "#[Buckets = %12u, SubBuckets     = %12u]\n", 64 - HISTOGRAM_PART_BITS,
		2 * HISTOGRAM_PARTS);
}
