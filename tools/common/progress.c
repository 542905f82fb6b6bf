/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"

/* Returns to the start of the line, and clears it. */
#define CLEAR "\r\033[K"

void progress_start(struct progress *progress, bool wanted)
{
	*progress = (struct progress){
		.on = wanted && isatty(STDERR_FILENO),
		.next_ns = clock_ns() + PROGRESS_MS * 1000000u,
	};
}

void progress_show(struct progress *progress, const char *format, ...)
{
	va_list arguments;
	uint64_t now;

	if (!progress->on)
		return;
	now = clock_ns();
	if (now < progress->next_ns)
		return;
	progress->next_ns = now + PROGRESS_MS * 1000000u;
	progress->shown = true;
	fputs(CLEAR, stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->shown)
		fputs(CLEAR, stderr);
	progress->shown = false;
}
