/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a small file a line at a time, such as the InfiniBand diagnostics' settings. */
#ifndef COMMON_LINES_H
#define COMMON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct lines {
	const char *path;  /* NULL: none was named */
	const char *usual; /* read in its place, if it is there */
	const char *line;  /* what each is expected to be, "a GUID and a name"; NULL: see .take */
	/*
	 * Takes a line, which it may change, its end included. Returns false if the line is
	 * wrong, with a message written if .line is NULL.
	 */
	bool (*take)(void *context, const char *path, size_t number, char *text);
	void *context;
};

/*
 * Reads the file. Returns 0; or -1, with a message written, when the file cannot be read or a line
 * is refused. Ends the program, as memory_end() does, when memory is exhausted.
 */
int lines_read(const struct lines *lines);

/* Reads @file as lines_read() does, and leaves it open. Messages call it @path. */
int lines_read_open(const struct lines *lines, const char *path, FILE *file);

#endif
