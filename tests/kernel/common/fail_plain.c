/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_fail.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *what, int error)
{
	errx(EXIT_FAILURE, "%s: %s", what, strerror(-error));
}
