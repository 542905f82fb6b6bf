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

static struct part trim_part(const char *start, size_t length)
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

/* Takes the part before the separator off the front. Returns false if nothing is left. */
static bool take_part(const char **text, const char *end, char separator, struct part *part)
{
	const char *stop;

	if (*text >= end)
		return false;
	stop = memchr(*text, separator, (size_t)(end - *text));
	if (!stop)
		stop = end;
	*part = trim_part(*text, (size_t)(stop - *text));
	*text = stop + 1;
	return true;
}

static bool part_is(struct part part, const char *word)
{
	return part.length == strlen(word) && !strncasecmp(part.start, word, part.length);
}

static bool part_begins(struct part part, const char *word)
{
	return part.length >= strlen(word) && !strncasecmp(part.start, word, strlen(word));
}

/* A media range of the header, and its quality. */
struct range {
	struct part type;
	double quality;
	bool our_version; /* of OpenMetrics: 1.0.0, or any */
};

static void read_parameter(struct range *range, struct part parameter)
{
	if (part_begins(parameter, "q="))
		range->quality = strtod(parameter.start + 2, NULL);
	else if (part_begins(parameter, "version="))
		range->our_version = part_is(parameter, "version=1.0.0") ||
				     part_is(parameter, "version=\"1.0.0\"");
}

static bool take_range(const char **text, const char *end, struct range *range)
{
	struct part all, part;
	const char *at;

	if (!take_part(text, end, ',', &all))
		return false;
	*range = (struct range){ .quality = 1, .our_version = true };
	at = all.start;
	if (take_part(&at, all.start + all.length, ';', &part))
		range->type = part;
	while (take_part(&at, all.start + all.length, ';', &part))
		read_parameter(range, part);
	return true;
}

static double larger_of(double a, double b)
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
		if (part_is(range.type, "application/openmetrics-text") && range.our_version)
			openmetrics = larger_of(openmetrics, range.quality);
		else if (part_is(range.type, "text/plain"))
			text_named = larger_of(text_named, range.quality);
		else if (part_is(range.type, "text/*") || part_is(range.type, "*/*"))
			text = larger_of(text, range.quality);
	}
	/* A range that names the type has the last word on it. */
	if (text_named >= 0)
		text = text_named;
	return openmetrics > 0 && openmetrics >= text ? EXPOSITION_OPENMETRICS : EXPOSITION_TEXT;
}
