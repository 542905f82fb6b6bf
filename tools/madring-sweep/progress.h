/* SPDX-License-Identifier: BSD-2-Clause */
/* One line on a terminal that tells how far the sweep is. */
#ifndef SWEEP_PROGRESS_H
#define SWEEP_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_MS 100 /* between two lines, at least */

struct progress {
	bool on;    /* standard error is a terminal, and nothing else is written there */
	bool shown; /* there is a line to be cleared */
	uint64_t next_ns;
};

void progress_start(struct progress *progress, bool wanted);
void progress_show(struct progress *progress, size_t nodes, size_t answers, size_t open);
void progress_end(struct progress *progress);

#endif
