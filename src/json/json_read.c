/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_read.h"

#include <errno.h>
#include <string.h>

/* Fails with an error of json-c's, or with json_tokener_continue where the file ends too early. */
static bool fail(struct json_reader *reader, enum json_tokener_error error)
{
	if (!reader->is_failed)
		reader->error = error;
	reader->is_failed = true;
	return false;
}

void json_read_fail(struct json_reader *reader, int system_error)
{
	reader->system_error = system_error;
	fail(reader, json_tokener_continue);
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
		reader->line += reader->text[reader->at++] == '\n';
	}
	return '\0';
}

static bool take(struct json_reader *reader, char mark)
{
	if (peek(reader) != mark)
		return false;
	reader->at++;
	return true;
}

void json_read_start(struct json_reader *reader, FILE *file)
{
	*reader = (struct json_reader){ .file = file, .line = 1, .tokener = json_tokener_new() };
	if (!reader->tokener)
		json_read_fail(reader, ENOMEM);
}

void json_read_end(struct json_reader *reader)
{
	if (reader->tokener)
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

/* Takes what precedes the end of a value in the buffer, if it does. */
static bool take_until_end(struct json_reader *reader, size_t length)
{
	size_t end = reader->at + length;

	if (end >= reader->length || !strchr(",]} \n", reader->text[end]))
		return false;
	reader->at = end;
	return true;
}

static bool take_word(struct json_reader *reader, const char *word)
{
	size_t length = strlen(word);

	return reader->length - reader->at > length &&
	       !memcmp(reader->text + reader->at, word, length) && take_until_end(reader, length);
}

/*
 * Parses what was read of the file. Returns json_tokener_continue if the value does not end in
 * it.
 */
static enum json_tokener_error parse(struct json_reader *reader, struct json_object **value)
{
	enum json_tokener_error error;

	/*
	 * json-c has no error of its own for exhausted memory, and may return what it has parsed so
	 * far.
	 */
	errno = 0;
	*value = json_tokener_parse_ex(reader->tokener, reader->text + reader->at,
				       (int)(reader->length - reader->at));
	if (errno == ENOMEM)
		json_read_fail(reader, ENOMEM);
	error = json_tokener_get_error(reader->tokener);
	skip(reader, error == json_tokener_continue ? reader->length - reader->at
						    : json_tokener_get_parse_end(reader->tokener));
	return error;
}

/* Has json-c parse a value that is no container, and stores it: NULL for null. */
static bool parse_value(struct json_reader *reader, struct json_object **value)
{
	enum json_tokener_error error = json_tokener_continue;

	*value = NULL;
	/* To json-c this begins a comment, after which it would parse a container, too. */
	if (peek(reader) == '/')
		return fail(reader, json_tokener_error_parse_unexpected);
	while (error == json_tokener_continue) {
		if (reader->is_failed || (reader->at == reader->length && !refill(reader)))
			return false;
		error = parse(reader, value);
	}
	if (reader->is_failed) {
		json_object_put(*value);
		*value = NULL;
		return false;
	}
	return !error || fail(reader, error);
}

static bool take_null(struct json_reader *reader)
{
	return peek(reader) == 'n' && take_word(reader, "null");
}

/* Reads a value. Stores NULL if it is null or a container: see json_read_skip(). */
static bool read_value(struct json_reader *reader, struct json_object **value)
{
	char first = peek(reader);

	*value = NULL;
	if (first == '{' || first == '[')
		return json_read_skip(reader);
	return take_null(reader) || parse_value(reader, value);
}

/*
 * Takes a plain text that ends in the buffer. Returns false, with nothing taken, if there is
 * none.
 */
static bool take_text(struct json_reader *reader, char *text, size_t bytes)
{
	const char *begin, *at, *end;
	size_t length;

	if (peek(reader) != '"')
		return false;
	begin = at = reader->text + reader->at + 1;
	end = reader->text + reader->length;
	while (at < end && *at != '"' && *at != '\\' && (unsigned char)*at >= ' ')
		at++;
	if (at >= end || *at != '"')
		return false;
	length = (size_t)(at - begin);
	reader->at += length + 2;
	if (length >= bytes)
		length = bytes - 1;
	memcpy(text, begin, length);
	text[length] = '\0';
	return true;
}

bool json_read_text(struct json_reader *reader, char *text, size_t bytes)
{
	struct json_object *value;

	if (take_text(reader, text, bytes))
		return true;
	text[0] = '\0';
	if (!read_value(reader, &value))
		return false;
	if (json_object_is_type(value, json_type_string))
		snprintf(text, bytes, "%s", json_object_get_string(value));
	json_object_put(value);
	return true;
}

bool json_read_key(struct json_reader *reader, char key[JSON_KEY_BYTES])
{
	if (peek(reader) != '"')
		return fail(reader, json_tokener_error_parse_object_key_name);
	return json_read_text(reader, key, JSON_KEY_BYTES) &&
	       (take(reader, ':') || fail(reader, json_tokener_error_parse_object_key_sep));
}

/* Takes a whole number that ends in the buffer, and is below 10^18. */
static bool take_number(struct json_reader *reader, uint64_t *number)
{
	const char *digits;
	size_t length = 0;

	*number = 0;
	peek(reader);
	digits = reader->text + reader->at;
	while (reader->at + length < reader->length && length < 18 && digits[length] >= '0' &&
	       digits[length] <= '9')
		*number = *number * 10 + (uint64_t)(digits[length++] - '0');
	if (!length || (digits[0] == '0' && length > 1))
		return false;
	return take_until_end(reader, length);
}

bool json_read_number(struct json_reader *reader, uint64_t *number)
{
	struct json_object *value;

	if (take_number(reader, number))
		return true;
	*number = UINT64_MAX;
	if (!read_value(reader, &value))
		return false;
	if (json_object_is_type(value, json_type_int) && json_object_get_int64(value) >= 0)
		*number = json_object_get_uint64(value);
	json_object_put(value);
	return true;
}

bool json_read_null(struct json_reader *reader)
{
	bool can_be_null = peek(reader) == 'n'; /* json-c reads "nan" as a number */
	struct json_object *value;
	bool is_null = read_value(reader, &value) && can_be_null && !value;

	json_object_put(value);
	return is_null;
}

/* Reads over a value that is no container. */
static void skip_scalar(struct json_reader *reader)
{
	struct json_object *value;
	uint64_t number;
	char text[1];

	if (take_text(reader, text, sizeof(text)) || take_number(reader, &number) ||
	    take_null(reader))
		return;
	parse_value(reader, &value);
	json_object_put(value);
}

/* Goes into a container if one is next, and stores what ends it. */
static bool begin_any(struct json_reader *reader, char *closing)
{
	*closing = json_read_begin(reader, '{') ? '}' : ']';
	return *closing == '}' || json_read_begin(reader, '[');
}

/*
 * `json_read_skip` steps through containers itself, because json-c 0.16 does not check that it has
 * memory for a key, and crashes without.
 */
bool json_read_skip(struct json_reader *reader)
{
	char closing[JSON_TOKENER_DEFAULT_DEPTH], key[JSON_KEY_BYTES];
	unsigned int depth = 0;

	do {
		if (depth == sizeof(closing))
			return fail(reader, json_tokener_error_depth);
		if (begin_any(reader, &closing[depth]))
			depth++;
		else
			skip_scalar(reader);
		while (depth && !json_read_more(reader, closing[depth - 1]))
			depth--;
		if (depth && closing[depth - 1] == '}')
			json_read_key(reader, key);
	} while (depth && !reader->is_failed);
	return !reader->is_failed;
}

bool json_read_flag(struct json_reader *reader, bool *flag)
{
	struct json_object *value;

	*flag = peek(reader) == 't';
	if (take_word(reader, *flag ? "true" : "false"))
		return true;
	*flag = false;
	if (!read_value(reader, &value))
		return false;
	*flag = json_object_is_type(value, json_type_boolean) && json_object_get_boolean(value);
	json_object_put(value);
	return true;
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
