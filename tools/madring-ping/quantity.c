/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quantity.h"
#include "ramp.h"

struct unit {
	const char *name;
	double factor;
};

/* Reads a decimal number without sign, exponent or hexadecimal digits. */
static bool read_decimal(const char *text, double *value, const char **rest)
{
	size_t digits = strspn(text, "0123456789.");
	char *end;

	*rest = text + digits;
	*value = strtod(text, &end);
	return digits && end == *rest;
}

/* Reads a number with one of @units, which end with one without a name. */
static bool read_with_unit(const char *text, const struct unit *units, double *value)
{
	const char *rest;

	if (!read_decimal(text, value, &rest))
		return false;
	for (; units->name; units++) {
		if (!strcmp(rest, units->name)) {
			*value *= units->factor;
			return true;
		}
	}
	return false;
}

bool quantity_time(const char *text, uint64_t *ns)
{
	static const struct unit units[] = {
		{ "", 1e9 },   { "s", 1e9 },	{ "ms", 1e6 }, { "us", 1e3 },
		{ "ns", 1.0 }, { "min", 60e9 }, { NULL, 0 },
	};
	double value;

	if (!read_with_unit(text, units, &value) || value > (double)QUANTITY_MOST_NS)
		return false;
	*ns = (uint64_t)llround(value);
	return true;
}

bool quantity_rate(const char *text, uint64_t *mhz)
{
	static const struct unit units[] = { { "", 1e3 }, { "k", 1e6 }, { "M", 1e9 }, { NULL, 0 } };
	double value;

	if (!read_with_unit(text, units, &value) || value < 1 || value > (double)RAMP_MOST_MHZ)
		return false;
	*mhz = (uint64_t)llround(value);
	return true;
}

bool quantity_percent(const char *text, double *percent)
{
	static const struct unit units[] = { { "", 1 }, { "%", 1 }, { NULL, 0 } };

	return read_with_unit(text, units, percent) && *percent <= 100;
}
