/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "accept.h"

#define SPACE " \t"

/* A part of the header, without the space around it. */
struct part {
	const char *start;
	size_t length;
};

static struct part trimmed(const char *start, size_t length)
{
	size_t leading = strspn(start, SPACE);

	if (leading > length)
		leading = length;
	start += leading;
	length -= leading;
	while (length && strchr(SPACE, start[length - 1]))
		length--;
	return (struct part){ start, length };
}

/* Takes what comes before one of @ends, and moves behind it. False: nothing is left. */
static bool take(const char **text, const char *end, char separator, struct part *part)
{
	const char *stop;

	if (*text >= end)
		return false;
	stop = memchr(*text, separator, (size_t)(end - *text));
	if (!stop)
		stop = end;
	*part = trimmed(*text, (size_t)(stop - *text));
	*text = stop + 1;
	return true;
}

static bool is(struct part part, const char *word)
{
	return part.length == strlen(word) && !strncasecmp(part.start, word, part.length);
}

static bool begins(struct part part, const char *word)
{
	return part.length >= strlen(word) && !strncasecmp(part.start, word, strlen(word));
}

/* One media range, and how much it is wanted. */
struct range {
	struct part type;
	double quality;
	bool our_version; /* of OpenMetrics: 1.0.0, or any */
};

static void read_parameter(struct range *range, struct part parameter)
{
	if (begins(parameter, "q="))
		range->quality = strtod(parameter.start + 2, NULL);
	else if (begins(parameter, "version="))
		range->our_version =
			is(parameter, "version=1.0.0") || is(parameter, "version=\"1.0.0\"");
}

static bool take_range(const char **text, const char *end, struct range *range)
{
	struct part all, part;
	const char *at;

	if (!take(text, end, ',', &all))
		return false;
	*range = (struct range){ .quality = 1, .our_version = true };
	at = all.start;
	if (take(&at, all.start + all.length, ';', &part))
		range->type = part;
	while (take(&at, all.start + all.length, ';', &part))
		read_parameter(range, part);
	return true;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

enum exposition_format accept_format(const char *accept)
{
	double openmetrics = 0, text = 0, text_named = -1;
	struct range range;
	const char *end;

	if (!accept)
		return EXPOSITION_TEXT;
	end = accept + strlen(accept);
	while (take_range(&accept, end, &range)) {
		if (is(range.type, "application/openmetrics-text") && range.our_version)
			openmetrics = larger(openmetrics, range.quality);
		else if (is(range.type, "text/plain"))
			text_named = larger(text_named, range.quality);
		else if (is(range.type, "text/*") || is(range.type, "*/*"))
			text = larger(text, range.quality);
	}
	/* A range that names the type has the last word on it. */
	if (text_named >= 0)
		text = text_named;
	return openmetrics > 0 && openmetrics >= text ? EXPOSITION_OPENMETRICS : EXPOSITION_TEXT;
}
