/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "text.h"

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}

static void make_room(struct text *text, size_t length)
{
	if (text->room - text->length >= length)
		return;
	text->room = 2 * (text->room + length);
	text->data = memory_grow(text->data, text->room, 1);
}

void text_append(struct text *text, const char *data, size_t length)
{
	if (!length)
		return;
	make_room(text, length);
	memcpy(text->data + text->length, data, length);
	text->length += length;
}

void text_append_string(struct text *text, const char *string)
{
	text_append(text, string, strlen(string));
}

void text_append_u64(struct text *text, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text_append(text, digits + at, sizeof(digits) - at);
}
