/* SPDX-License-Identifier: BSD-2-Clause */
/* A fabric discovered over and over, by one library or the other. */
#ifndef BENCH_DISCOVER_H
#define BENCH_DISCOVER_H

#include <stdint.h>

#include "bench_measure.h"

/* The result of a discovery, from opening the port to closing it. */
struct discovered {
	uint64_t nodes;
	uint64_t smps; /* sent for it, those that were sent again among them */
};

/* Discovers once, and counts its system calls in @measure. Ends the program when it fails. */
typedef void (*discover_once)(struct measure *measure, struct discovered *found);

/*
 * Discovers once to warm up, and again until as many SMPs were sent as MADs are to be measured.
 * Fails when it does not find the same nodes each time. One line of JSON on stdout. Returns the
 * program's exit status.
 */
int discover_measure(struct measure *measure, discover_once once);

#endif
