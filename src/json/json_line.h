/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a JSON value on one line, as its caller comes to its parts, where a tree as json_tree.h
 * makes it would be thrown away at once: building one takes ten times as long as writing the text.
 * The text is the same. ferror() tells of write errors.
 */
#ifndef JSON_JSON_LINE_H
#define JSON_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_line {
	FILE *out;
	unsigned int depth;
	bool is_begun; /* the innermost container is empty so far */
	size_t length;
	char text[4096]; /* what is not yet written to @out */
};

void json_line_start(struct json_line *line, FILE *out);

/*
 * Writes what is left of the value, all of whose containers are closed. The line may be used for
 * another value.
 */
void json_line_end(struct json_line *line);

/*
 * Each of the functions below adds a member, whose key needs no escapes; or an element of an array,
 * if @key is NULL. The text is in UTF-8; NULL becomes null.
 */
void json_line_open(struct json_line *line, const char *key, char opening);
void json_line_close(struct json_line *line, char closing);
void json_line_text(struct json_line *line, const char *key, const char *text);
void json_line_flag(struct json_line *line, const char *key, bool flag);
void json_line_number(struct json_line *line, const char *key, uint64_t value);
void json_line_null(struct json_line *line, const char *key);
/* Adds a GUID, as json_guid() makes it. */
void json_line_guid(struct json_line *line, const char *key, uint64_t guid);

#endif
