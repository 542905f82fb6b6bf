/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep: a discovery, from the local port that the options name. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "print.h"

/*
 * Runs @discovery, as the options say, until it is done, or until its deadline, an interrupt or an
 * error ends it. Fills the result's .stats, .elapsed_ns, .finished, .interrupted, .error and
 * .capture_failed. Returns 0; or -1, with a message written, when it could not start.
 */
int sweep_run(struct discovery *discovery, struct result *result);

#endif
