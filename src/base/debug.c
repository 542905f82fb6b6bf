/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/debug.h"

#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define VARIABLE "MADRING_DEBUG"
#define LINE	 512

/* Negative until the level is set, or read from the environment. */
static atomic_int level = -1;

static int level_from_environment(void)
{
	const char *text = secure_getenv(VARIABLE);
	long value = text ? strtol(text, NULL, 10) : 0;

	if (value < 0)
		return 0;
	return value < INT_MAX ? (int)value : INT_MAX;
}

int debug_level(void)
{
	int now = atomic_load_explicit(&level, memory_order_relaxed);

	if (now >= 0)
		return now;
	now = level_from_environment();
	atomic_store_explicit(&level, now, memory_order_relaxed);
	return now;
}

void debug_set_level(int now)
{
	atomic_store_explicit(&level, now, memory_order_relaxed);
}

void debug_say(const char *format, ...)
{
	char line[LINE];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fprintf(stderr, "madring: [%ld] %s\n", (long)getpid(), line);
}
