/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel_fail.h"

#include <err.h>
#include <stdlib.h>

#include <madring.h>

void fail(const char *what, int error)
{
	errx(EXIT_FAILURE, "%s: %s", what, madring_error_text(error));
}
