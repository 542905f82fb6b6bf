/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "complain.h"
#include "json/utf8.h"

/*
 * A longer line is cut. The buffer is on the stack, because one message says that memory is
 * exhausted.
 */
#define LINE_BYTES 8192

static bool kept_back;

void complain_keep_back(bool keep_back)
{
	kept_back = keep_back;
}

static void write_line(const char *format, va_list arguments)
{
	char line[LINE_BYTES];

	vsnprintf(line, sizeof(line), format, arguments);
	utf8_make_printable(line);
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, line);
}

void complain(const char *format, ...)
{
	va_list arguments;

	if (kept_back)
		return;
	va_start(arguments, format);
	write_line(format, arguments);
	va_end(arguments);
}
