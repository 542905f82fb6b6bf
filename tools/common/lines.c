/* SPDX-License-Identifier: BSD-2-Clause */
#include "lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "memory.h"

static void tell_error(const char *path, int error)
{
	if (error == ENOMEM)
		memory_end();
	complain("%s: %s", path, strerror(error));
}

int lines_read_open(const struct lines *lines, const char *path, FILE *file)
{
	size_t room = 0, number = 0;
	char *text = NULL;
	int result = 0;

	while (!result && getline(&text, &room, file) != -1) {
		number++;
		if (lines->take(lines->context, path, number, text))
			continue;
		if (lines->line)
			complain("%s: line %zu: not %s", path, number, lines->line);
		result = -1;
	}
	/* getline() sets neither flag of the stream when memory is exhausted. */
	if (!result && !feof(file)) {
		tell_error(path, errno);
		result = -1;
	}
	/* Some files have keys. */
	if (text)
		explicit_bzero(text, room);
	free(text);
	return result;
}

int lines_read(const struct lines *lines)
{
	const char *path = lines->path ? lines->path : lines->usual;
	FILE *file = fopen(path, "re");
	int result;

	if (!file && !lines->path && errno != ENOMEM)
		return 0;
	if (!file) {
		tell_error(path, errno);
		return -1;
	}
	result = lines_read_open(lines, path, file);
	fclose(file);
	return result;
}
