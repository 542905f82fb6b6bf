/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a histogram as the text of percentiles that HdrHistogram writes, and its plotters read. */
#ifndef PING_HISTOGRAM_TEXT_H
#define PING_HISTOGRAM_TEXT_H

#include <stdio.h>

#include "histogram.h"

/* Writes a histogram of ns in microseconds. */
void histogram_text(FILE *out, const struct histogram *histogram);

/*
 * A histogram_point is called for each point of the distribution: @part of all values, from 0 to 1,
 * are at most @value.
 */
typedef void (*histogram_point)(void *context, uint64_t value, double part, uint64_t count);

/*
 * Calls @point for the points of histogram_text(): five steps for each half of the way to 1, until
 * all values are counted.
 */
void histogram_points(const struct histogram *histogram, histogram_point point, void *context);

#endif
