/* SPDX-License-Identifier: BSD-2-Clause */
/* Times, rates and conditions, as they stand on a command line. */
#ifndef PING_QUANTITY_H
#define PING_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* The longest time that is taken: a year. */
#define QUANTITY_MOST_NS 31536000000000000u

/*
 * Each reads all of a text and returns whether it is one.
 * A time: a decimal number of seconds, or of what stands behind it: ns, us, ms, s, min.
 */
bool quantity_time(const char *text, uint64_t *ns);

/* Requests a second, from 0.001 to 100 million; k and M may stand behind it. */
bool quantity_rate(const char *text, uint64_t *mhz);

/* A percentage from 0 to 100; a % may stand behind it. */
bool quantity_percent(const char *text, double *percent);

#endif
