/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows each reply to a request for NodeInfo as it arrives, in ibnetdiscover's format. */
#ifndef SWEEP_SHOW_H
#define SWEEP_SHOW_H

#include <madring/sweep.h>

/* Writes a line to standard output: see madring_sweep_config.on_node. @context is not used. */
void show_seen(void *context, const struct madring_sweep_seen *seen);

#endif
