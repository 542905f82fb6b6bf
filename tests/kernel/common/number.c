/* SPDX-License-Identifier: BSD-2-Clause */
#include "number.h"

#include <errno.h>
#include <stdlib.h>

unsigned long number(const char *text, unsigned long least, unsigned long most,
		     struct argp_state *state)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value < least || value > most)
		argp_error(state, "%s: a number from %lu to %lu is wanted", text, least, most);
	return value;
}
