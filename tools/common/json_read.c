/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_read.h"

#include <errno.h>
#include <string.h>

#include "memory.h"

/* Fails with an error of json-c's, or with json_tokener_continue where the file ends too early. */
static bool fail(struct json_reader *reader, enum json_tokener_error error)
{
	if (!reader->is_failed)
		reader->error = error;
	reader->is_failed = true;
	return false;
}

/* Reads on in the file. Returns false at its end. */
static bool refill(struct json_reader *reader)
{
	reader->at = 0;
	reader->length = fread(reader->text, 1, sizeof(reader->text), reader->file);
	if (ferror(reader->file))
		reader->system_error = errno;
	return reader->length || fail(reader, json_tokener_continue);
}

static void skip(struct json_reader *reader, size_t count)
{
	const char *end = reader->text + reader->at + count;
	const char *from = reader->text + reader->at;

	while ((from = memchr(from, '\n', (size_t)(end - from)))) {
		reader->line++;
		from++;
	}
	reader->at += count;
}

static bool is_space(char character)
{
	return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

/* Returns the next character that is no white space, or '\0' after an error. */
static char peek(struct json_reader *reader)
{
	while (!reader->is_failed) {
		if (reader->at == reader->length && !refill(reader))
			break;
		if (!is_space(reader->text[reader->at]))
			return reader->text[reader->at];
		skip(reader, 1);
	}
	return '\0';
}

static bool take(struct json_reader *reader, char mark)
{
	if (peek(reader) != mark)
		return false;
	skip(reader, 1);
	return true;
}

void json_read_start(struct json_reader *reader, FILE *file)
{
	*reader = (struct json_reader){ .file = file, .line = 1, .tokener = json_tokener_new() };
	if (!reader->tokener)
		memory_end();
}

void json_read_end(struct json_reader *reader)
{
	json_tokener_free(reader->tokener);
}

bool json_read_begin(struct json_reader *reader, char opening)
{
	reader->is_begun = take(reader, opening);
	return reader->is_begun;
}

bool json_read_more(struct json_reader *reader, char closing)
{
	bool is_first = reader->is_begun;

	reader->is_begun = false;
	if (take(reader, closing))
		return false;
	return is_first || take(reader, ',') ||
	       fail(reader, closing == '}' ? json_tokener_error_parse_object_value_sep
					   : json_tokener_error_parse_array);
}

bool json_read_key(struct json_reader *reader, struct json_object **key)
{
	*key = NULL;
	if (peek(reader) != '"')
		return fail(reader, json_tokener_error_parse_object_key_name);
	if (!json_read_value(reader, key))
		return false;
	if (take(reader, ':'))
		return true;
	json_object_put(*key);
	return fail(reader, json_tokener_error_parse_object_key_sep);
}

/* Parses what was read of the file. Returns json_tokener_continue if the value does not end in
   it. */
static enum json_tokener_error parse(struct json_reader *reader, struct json_object **value)
{
	enum json_tokener_error error;

	/* json-c has no error of its own for exhausted memory, and may return what it has parsed so
	   far. */
	errno = 0;
	*value = json_tokener_parse_ex(reader->tokener, reader->text + reader->at,
				       (int)(reader->length - reader->at));
	if (errno == ENOMEM)
		memory_end();
	error = json_tokener_get_error(reader->tokener);
	skip(reader, error == json_tokener_continue ? reader->length - reader->at
						    : json_tokener_get_parse_end(reader->tokener));
	return error;
}

bool json_read_value(struct json_reader *reader, struct json_object **value)
{
	enum json_tokener_error error = json_tokener_continue;

	*value = NULL;
	peek(reader);
	if (reader->is_failed)
		return false;
	while (error == json_tokener_continue) {
		if (reader->at == reader->length && !refill(reader))
			return false;
		error = parse(reader, value);
	}
	return !error || fail(reader, error);
}

const char *json_read_error(const struct json_reader *reader, char text[JSON_READ_ERROR_BYTES])
{
	if (!reader->is_failed)
		return NULL;
	if (reader->system_error)
		snprintf(text, JSON_READ_ERROR_BYTES, "%s", strerror(reader->system_error));
	else if (reader->error == json_tokener_continue)
		snprintf(text, JSON_READ_ERROR_BYTES,
			 "it ends in line %zu, before its outermost object does", reader->line);
	else
		snprintf(text, JSON_READ_ERROR_BYTES, "line %zu: %s", reader->line,
			 json_tokener_error_desc(reader->error));
	return text;
}
