/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>

#include "complain.h"

int complain(const char *what, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, PROGRAM ": %s: ", what);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return EXIT_NOT_STARTED;
}
