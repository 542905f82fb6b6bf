/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_write.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void json_write_start(struct json_writer *writer, FILE *out, enum json_layout layout)
{
	writer->out = out;
	writer->layout = layout;
	writer->margin = 0;
	writer->depth = 0;
	writer->lines = 0;
	writer->is_empty = true;
	writer->length = 0;
}

void json_write_flush(struct json_writer *writer)
{
	fwrite(writer->text, 1, writer->length, writer->out);
	writer->length = 0;
}

static void put(struct json_writer *writer, const char *text, size_t length)
{
	if (length > sizeof(writer->text) - writer->length) {
		json_write_flush(writer);
		if (length > sizeof(writer->text)) {
			fwrite(text, 1, length, writer->out);
			return;
		}
	}
	memcpy(writer->text + writer->length, text, length);
	writer->length += length;
}

void json_write_end(struct json_writer *writer)
{
	assert(!writer->depth);
	put(writer, "\n", 1);
	json_write_flush(writer);
}

static void put_new_line(struct json_writer *writer)
{
	put(writer, "\n", 1);
	for (unsigned int level = 0; level < writer->margin + writer->depth; level++)
		put(writer, "  ", 2);
}

static void begin_item(struct json_writer *writer, const char *key)
{
	if (writer->depth > writer->lines) {
		put(writer, writer->is_empty ? " " : ", ", writer->is_empty ? 1 : 2);
	} else if (writer->depth) {
		put(writer, ",", !writer->is_empty);
		put_new_line(writer);
	}
	writer->is_empty = false;
	if (!key)
		return;
	put(writer, "\"", 1);
	put(writer, key, strlen(key));
	put(writer, "\":", 2);
	if (writer->layout != JSON_INDENTED)
		put(writer, " ", 1);
}

void json_write_open(struct json_writer *writer, const char *key, char opening)
{
	if (writer->layout == JSON_INDENTED) {
		json_write_open_lines(writer, key, opening);
		return;
	}
	begin_item(writer, key);
	put(writer, &opening, 1);
	writer->depth++;
	writer->is_empty = true;
}

void json_write_open_lines(struct json_writer *writer, const char *key, char opening)
{
	assert(writer->lines == writer->depth);
	begin_item(writer, key);
	put(writer, &opening, 1);
	writer->lines = ++writer->depth;
	writer->is_empty = true;
}

void json_write_close(struct json_writer *writer, char closing)
{
	bool has_lines = writer->lines == writer->depth--;

	if (!has_lines)
		put(writer, " ", 1);
	else if (!writer->is_empty)
		put_new_line(writer);
	if (has_lines)
		writer->lines = writer->depth;
	put(writer, &closing, 1);
	writer->is_empty = false;
}

static void put_escape(struct json_writer *writer, unsigned char character)
{
	static const char escaped[] = "\b\n\r\t\f\"\\/", letters[] = "bnrtf\"\\/";
	const char *at = character ? strchr(escaped, character) : NULL;
	char text[8];

	if (at)
		put(writer, text,
		    (size_t)snprintf(text, sizeof(text), "\\%c", letters[at - escaped]));
	else
		put(writer, text, (size_t)snprintf(text, sizeof(text), "\\u%04x", character));
}

static bool needs_escape(unsigned char character)
{
	return character < ' ' || character == '"' || character == '\\' || character == '/';
}

void json_write_text(struct json_writer *writer, const char *key, const char *text)
{
	if (!text) {
		json_write_null(writer, key);
		return;
	}
	begin_item(writer, key);
	put(writer, "\"", 1);
	while (*text) {
		size_t plain = 0;

		while (text[plain] && !needs_escape((unsigned char)text[plain]))
			plain++;
		put(writer, text, plain);
		text += plain;
		if (*text)
			put_escape(writer, (unsigned char)*text++);
	}
	put(writer, "\"", 1);
}

void json_write_digits(struct json_writer *writer, const char *key, const char *digits)
{
	begin_item(writer, key);
	put(writer, digits, strlen(digits));
}

void json_write_flag(struct json_writer *writer, const char *key, bool flag)
{
	json_write_digits(writer, key, flag ? "true" : "false");
}

void json_write_null(struct json_writer *writer, const char *key)
{
	json_write_digits(writer, key, "null");
}

void json_write_number(struct json_writer *writer, const char *key, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	begin_item(writer, key);
	put(writer, digits + at, sizeof(digits) - at);
}

void json_write_signed(struct json_writer *writer, const char *key, int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	json_write_digits(writer, key, digits);
}

void json_write_real(struct json_writer *writer, const char *key, double value)
{
	char digits[32];

	if (!isfinite(value)) {
		json_write_null(writer, key);
		return;
	}
	snprintf(digits, sizeof(digits), "%.17g", value);
	json_write_digits(writer, key, digits);
	if (!strpbrk(digits, ".e"))
		put(writer, ".0", 2);
}

void json_write_guid(struct json_writer *writer, const char *key, uint64_t guid)
{
	char text[20] = "\"0x";

	for (unsigned int digit = 0; digit < 16; digit++)
		text[3 + digit] = "0123456789abcdef"[guid >> (60 - 4 * digit) & 15];
	text[19] = '"';
	begin_item(writer, key);
	put(writer, text, sizeof(text));
}

void json_write_foreign(struct json_writer *writer, const char *key)
{
	begin_item(writer, key);
	json_write_flush(writer);
}
