/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "fault.h"

void pool_fault(const void *buffer, const char *what)
{
	fprintf(stderr, "madring: buffer %p: %s\n", buffer, what);
	abort();
}
