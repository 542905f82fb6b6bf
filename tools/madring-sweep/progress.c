/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"

/* Back to the line's start, and clear it. */
#define CLEAR "\r\033[K"

void progress_start(struct progress *progress, bool wanted)
{
	*progress = (struct progress){
		.on = wanted && isatty(STDERR_FILENO),
		.next_ns = clock_ns() + PROGRESS_MS * 1000000u,
	};
}

void progress_show(struct progress *progress, size_t nodes, size_t answers, size_t open)
{
	uint64_t now;

	if (!progress->on)
		return;
	now = clock_ns();
	if (now < progress->next_ns)
		return;
	progress->next_ns = now + PROGRESS_MS * 1000000u;
	progress->shown = true;
	fprintf(stderr, CLEAR "%zu nodes found, %zu requests answered, %zu to go", nodes, answers,
		open);
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs(CLEAR, stderr);
	progress->shown = false;
}
