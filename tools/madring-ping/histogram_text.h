/* SPDX-License-Identifier: BSD-2-Clause */
/* A histogram as the text of percentiles that HdrHistogram writes, and its plotters read. */
#ifndef PING_HISTOGRAM_TEXT_H
#define PING_HISTOGRAM_TEXT_H

#include <stdio.h>

#include "histogram.h"

/* Values are in ns, and written in microseconds. */
void histogram_text(FILE *out, const struct histogram *histogram);

/* Called for a point of the distribution: @part of all, from 0 to 1, are at most @value. */
typedef void (*histogram_point)(void *context, uint64_t value, double part, uint64_t count);

/*
 * The points of that text, each time half of the way to 1 is done in five steps, until all are
 * counted.
 */
void histogram_points(const struct histogram *histogram, histogram_point point, void *context);

#endif
