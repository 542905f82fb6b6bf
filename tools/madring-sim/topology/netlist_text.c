/* SPDX-License-Identifier: BSD-2-Clause */
/* What the lines of a netlist are made of, and how one of them is wrong. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/netlist.h"

int netlist_wrong(struct reader *reader, const char *format, ...)
{
	struct topology_error *error = reader->error;
	va_list arguments;

	snprintf(error->file, sizeof(error->file), "%s", reader->path);
	error->line = reader->line;
	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return -EINVAL;
}

int netlist_no_memory(struct reader *reader)
{
	netlist_wrong(reader, "out of memory");
	return -ENOMEM;
}

char *netlist_quoted(char *text, char **rest)
{
	char *start = strchr(text, '"');
	char *end = start ? strchr(start + 1, '"') : NULL;

	if (!end)
		return NULL;
	*end = '\0';
	*rest = end + 1;
	return start + 1;
}

bool netlist_plain_name(const char *name)
{
	return *name && !strpbrk(name, "#@");
}

int netlist_value(struct reader *reader, const char *text, unsigned long long max,
		  unsigned long long *value)
{
	const char *start = strpbrk(text, "=+");
	char *end;

	*value = 0; /* after an error too, so that compilers see it set */
	if (!start)
		return netlist_wrong(reader, "'=' and a number expected");
	errno = 0;
	*value = strtoull(++start, &end, 0);
	if (end == start || (*end && *end != '(' && *end != '#' && !isspace((unsigned char)*end)))
		return netlist_wrong(reader, "a number expected behind '='");
	if (errno || *value > max)
		return netlist_wrong(reader, "the number is more than 0x%llx", max);
	return 0;
}

int netlist_mask(struct reader *reader, const char *text, unsigned int min, unsigned int max,
		 uint8_t *mask)
{
	unsigned long long value;

	if (netlist_value(reader, text, max, &value))
		return -EINVAL;
	if (value < min)
		return netlist_wrong(reader, "%u to %u expected behind '='", min, max);
	*mask = (uint8_t)value;
	return 0;
}
