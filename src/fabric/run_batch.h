/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FABRIC_RUN_BATCH_H
#define FABRIC_RUN_BATCH_H

#include <madring/batch.h>

/*
 * Runs a batch to its end. A signal cancels it: then its requests still get their outcomes, and
 * -EINTR is returned. Returns 0, or an error of madring_batch_run().
 */
int run_batch(struct madring_batch *batch);

#endif
