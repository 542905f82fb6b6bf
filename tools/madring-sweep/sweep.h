/* SPDX-License-Identifier: BSD-2-Clause */
/* The sweep: a discovery, from the local port that the options name. */
#ifndef SWEEP_SWEEP_H
#define SWEEP_SWEEP_H

#include "print.h"

/*
 * Discovers the fabric, as the result's options say, until it is done, or until its deadline, an
 * interrupt or an error ends it. Fills the result's .fabric, .state, .drops, .stats, .elapsed_ns,
 * .finished, .interrupted, .error and .capture_failed. Returns the fabric, which the caller frees;
 * or NULL, with a message written, when it could not start.
 */
struct madring_fabric *sweep_run(struct result *result);

#endif
