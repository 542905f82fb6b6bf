/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "complain.h"

static bool kept_back;

void complain_keep_back(bool keep_back)
{
	kept_back = keep_back;
}

void complain(const char *format, ...)
{
	va_list arguments;

	if (kept_back)
		return;
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}
