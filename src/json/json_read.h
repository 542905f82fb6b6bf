/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a JSON file value by value, so that a large one is never in memory as a tree, whose
 * building takes ten times as long as reading the text. The reader steps through the containers
 * that its caller goes into or skips. It takes plain texts, whole numbers and flags from the buffer
 * itself; json-c parses all other texts and numbers: those with escapes or fractions, those at the
 * buffer's end, and the wrong ones. After an error all functions return false, and
 * json_read_error() tells what it was. When memory is exhausted, .system_error is ENOMEM.
 */
#ifndef JSON_JSON_READ_H
#define JSON_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <json-c/json.h>

#define JSON_READ_BYTES 16384u

struct json_reader {
	FILE *file; /* the caller's */
	struct json_tokener *tokener;
	size_t at, length; /* what is read next, and where what was read of the file ends */
	size_t line;
	bool is_begun; /* nothing of the innermost container was read yet */
	bool is_failed;
	int system_error; /* the errno of a read that failed; 0: none */
	enum json_tokener_error error;
	char text[JSON_READ_BYTES];
};

void json_read_start(struct json_reader *reader, FILE *file);
void json_read_end(struct json_reader *reader);

/*
 * Goes into the container that is next. Returns false, without an error, when something else is
 * next than @opening, a brace or a bracket.
 */
bool json_read_begin(struct json_reader *reader, char opening);

/*
 * Goes to the next element or member of a container. Returns false after the last, when the
 * container has ended with @closing.
 */
bool json_read_more(struct json_reader *reader, char closing);

/* Reads the key of a member, whose value is next. A longer key is cut. */
#define JSON_KEY_BYTES 40
bool json_read_key(struct json_reader *reader, char key[JSON_KEY_BYTES]);

/*
 * Each of these reads a value, and stores a default if the value is of another type: the text "",
 * which is cut if it has @bytes or more; the number UINT64_MAX, if it is not a whole number from 0
 * on; the flag false.
 */
bool json_read_text(struct json_reader *reader, char *text, size_t bytes);
bool json_read_number(struct json_reader *reader, uint64_t *number);
bool json_read_flag(struct json_reader *reader, bool *flag);

/* Reads a value of any kind. Returns whether it is null. */
bool json_read_null(struct json_reader *reader);

/* Reads over a value of any kind. */
bool json_read_skip(struct json_reader *reader);

/* Fails with an errno, as when the file cannot be read. */
void json_read_fail(struct json_reader *reader, int system_error);

#define JSON_READ_ERROR_BYTES 128

/* Writes what is wrong, and in which line, or returns NULL if no read failed. */
const char *json_read_error(const struct json_reader *reader, char text[JSON_READ_ERROR_BYTES]);

#endif
