/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a JSON value as its caller comes to its parts. It needs no memory but its own buffer.
 * ferror() tells of write errors.
 */
#ifndef JSON_JSON_WRITE_H
#define JSON_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum json_layout {
	JSON_ON_ONE_LINE, /* but for containers that json_write_open_lines() opens */
	JSON_INDENTED,	  /* two columns for each level */
};

struct json_writer {
	FILE *out;
	enum json_layout layout;
	unsigned int margin; /* levels of what the caller writes around the value */
	unsigned int depth;
	unsigned int lines; /* so many of the outermost containers have a line for each item */
	bool is_empty;	    /* the innermost container is, so far */
	size_t length;
	char text[4096]; /* what is not yet written to @out */
};

/* Begins a value. A caller who writes around it may set writer->margin next. */
void json_write_start(struct json_writer *writer, FILE *out, enum json_layout layout);

/* Writes out what is in the buffer. */
void json_write_flush(struct json_writer *writer);

/* Ends the line of a value, all of whose containers are closed, and writes it out. */
void json_write_end(struct json_writer *writer);

/*
 * Each of the functions below adds a member, whose key needs no escapes; or an element of an array,
 * if @key is NULL.
 */
void json_write_open(struct json_writer *writer, const char *key, char opening);

/*
 * Opens a container that has a line for each of its items, in either layout. Those around it have,
 * too.
 */
void json_write_open_lines(struct json_writer *writer, const char *key, char opening);
void json_write_close(struct json_writer *writer, char closing);

/* Adds a text in UTF-8, which utf8_make_printable() makes of any bytes; NULL becomes null. */
void json_write_text(struct json_writer *writer, const char *key, const char *text);
void json_write_flag(struct json_writer *writer, const char *key, bool flag);
void json_write_number(struct json_writer *writer, const char *key, uint64_t value);
void json_write_signed(struct json_writer *writer, const char *key, int64_t value);

/*
 * Adds a real number with a point or an exponent, so that it is read as one. JSON has neither
 * infinity nor NaN: both become null.
 */
void json_write_real(struct json_writer *writer, const char *key, double value);

/* Adds a number whose digits the caller has chosen. */
void json_write_digits(struct json_writer *writer, const char *key, const char *digits);
void json_write_null(struct json_writer *writer, const char *key);

/*
 * Adds a GUID. It is a string: many readers keep numbers as doubles, which have no room for 64
 * bits.
 */
void json_write_guid(struct json_writer *writer, const char *key, uint64_t guid);

/* Adds a value that the caller writes to writer->out next. */
void json_write_foreign(struct json_writer *writer, const char *key);

#endif
