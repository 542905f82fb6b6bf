/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the distribution of times as a picture. It is a single curve, which a few lines of SVG
 * draw: no plotting program has to be there where fabrics are measured.
 */
#ifndef PING_PLOT_H
#define PING_PLOT_H

#include <stdio.h>

#include "histogram.h"

/*
 * Draws percentiles to the right, each nine as wide as the one before, and times upwards, by powers
 * of ten. @title is plain text.
 */
void plot_svg(FILE *out, const struct histogram *histogram, const char *title);

#endif
