/* SPDX-License-Identifier: BSD-2-Clause */
#include "fail.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "virtual_clock.h"

static uint64_t played;
bool trace_is_on;

void fail_begin(uint64_t seed, bool on)
{
	played = seed;
	trace_is_on = on;
}

static double seconds(void)
{
	return (double)(virtual_now() - VIRTUAL_START) / 1e9;
}

void world_fail(const char *format, ...)
{
	char text[512];
	va_list arguments;

	fflush(stdout);
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* In one piece, because others write there, too. */
	dprintf(STDERR_FILENO, "seed %" PRIu64 ", at %.9f s: %s\n", played, seconds(), text);
	_exit(1);
}

void trace_write(const char *format, ...)
{
	va_list arguments;

	printf("%14.9f  ", seconds());
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}
