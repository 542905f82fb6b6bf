/* SPDX-License-Identifier: BSD-2-Clause */
#include "model_fail.h"

#include <stdarg.h>
#include <stdio.h>

bool trace_is_on;

void trace_write(const char *format, ...)
{
	va_list arguments;

	printf("%14.9f  ", (double)(virtual_now() - VIRTUAL_START) / 1e9);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}
