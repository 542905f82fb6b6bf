/* SPDX-License-Identifier: BSD-2-Clause */
#include "json_line.h"

#include <assert.h>
#include <string.h>

void json_line_start(struct json_line *line, FILE *out)
{
	line->out = out;
	line->depth = 0;
	line->is_begun = true;
	line->length = 0;
}

void json_line_end(struct json_line *line)
{
	assert(!line->depth);
	fwrite(line->text, 1, line->length, line->out);
	json_line_start(line, line->out);
}

static void put(struct json_line *line, const char *text, size_t length)
{
	if (length > sizeof(line->text) - line->length) {
		fwrite(line->text, 1, line->length, line->out);
		line->length = 0;
	}
	if (length > sizeof(line->text)) {
		fwrite(text, 1, length, line->out);
		return;
	}
	memcpy(line->text + line->length, text, length);
	line->length += length;
}

static void begin_item(struct json_line *line, const char *key)
{
	if (line->depth)
		put(line, &", "[line->is_begun], 2u - line->is_begun);
	line->is_begun = false;
	if (!key)
		return;
	put(line, "\"", 1);
	put(line, key, strlen(key));
	put(line, "\": ", 3);
}

void json_line_open(struct json_line *line, const char *key, char opening)
{
	begin_item(line, key);
	put(line, &opening, 1);
	line->depth++;
	line->is_begun = true;
}

void json_line_close(struct json_line *line, char closing)
{
	const char text[] = { ' ', closing };

	put(line, text, sizeof(text));
	line->depth--;
	line->is_begun = false;
}

static void put_escape(struct json_line *line, unsigned char character)
{
	static const char escaped[] = "\b\n\r\t\f\"\\/", letters[] = "bnrtf\"\\/";
	const char *at = character ? strchr(escaped, character) : NULL;
	char text[8];

	if (at)
		put(line, text,
		    (size_t)snprintf(text, sizeof(text), "\\%c", letters[at - escaped]));
	else
		put(line, text, (size_t)snprintf(text, sizeof(text), "\\u%04x", character));
}

static bool needs_escape(unsigned char character)
{
	return character < ' ' || character == '"' || character == '\\' || character == '/';
}

void json_line_text(struct json_line *line, const char *key, const char *text)
{
	if (!text) {
		json_line_null(line, key);
		return;
	}
	begin_item(line, key);
	put(line, "\"", 1);
	while (*text) {
		size_t plain = 0;

		while (text[plain] && !needs_escape((unsigned char)text[plain]))
			plain++;
		put(line, text, plain);
		text += plain;
		if (*text)
			put_escape(line, (unsigned char)*text++);
	}
	put(line, "\"", 1);
}

void json_line_flag(struct json_line *line, const char *key, bool flag)
{
	const char *text = flag ? "true" : "false";

	begin_item(line, key);
	put(line, text, strlen(text));
}

void json_line_null(struct json_line *line, const char *key)
{
	begin_item(line, key);
	put(line, "null", 4);
}

void json_line_number(struct json_line *line, const char *key, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	begin_item(line, key);
	put(line, digits + at, sizeof(digits) - at);
}

void json_line_guid(struct json_line *line, const char *key, uint64_t guid)
{
	char text[20] = "\"0x";

	for (unsigned int digit = 0; digit < 16; digit++)
		text[3 + digit] = "0123456789abcdef"[guid >> (60 - 4 * digit) & 15];
	text[19] = '"';
	begin_item(line, key);
	put(line, text, sizeof(text));
}
