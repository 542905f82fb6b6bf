/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep: a discovery, from the local port that the options name. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "print.h"

/*
 * Runs @discovery to its end, its deadline, an interrupt or an error, as the options say. Fills
 * what a result has of it: statistics, time, interrupted, error. Returns 0, or -1 with a message
 * written when it could not start.
 */
int sweep_run(struct discovery *discovery, struct result *result);

#endif
