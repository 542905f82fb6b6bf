/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads times, rates and percentages, as they stand on a command line. */
#ifndef PING_QUANTITY_H
#define PING_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* The longest time that is accepted: a year. */
#define QUANTITY_MOST_NS 31536000000000000u

/*
 * quantity_time() reads a decimal number of seconds, or of the unit after it: ns, us, ms, s or min.
 * Each function here reads all of a text, and returns whether it is such a quantity.
 */
bool quantity_time(const char *text, uint64_t *ns);

/* Reads requests a second, from 0.001 to 100 million; k or M may follow. */
bool quantity_rate(const char *text, uint64_t *mhz);

/* Reads a percentage from 0 to 100; % may follow. */
bool quantity_percent(const char *text, double *percent);

#endif
