/* SPDX-License-Identifier: BSD-2-Clause */
/* A line on a terminal that tells how far the program is. */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_MS 100 /* between two lines, at least */

struct progress {
	bool on;    /* standard error is a terminal, and nothing else is written there */
	bool shown; /* there is a line to be cleared */
	uint64_t next_ns;
};

void progress_start(struct progress *progress, bool wanted);
/* Shows a line, unless the last one was shown less than PROGRESS_MS ago. */
void progress_show(struct progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void progress_end(struct progress *progress);

#endif
