/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/common/must_alloc.h"

static void *must(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "%s: out of memory\n", program_invocation_short_name);
	exit(2);
}

void *must_alloc(size_t bytes)
{
	return must(calloc(1, bytes ? bytes : 1));
}

void *must_realloc(void *old, size_t bytes)
{
	return must(realloc(old, bytes ? bytes : 1));
}
