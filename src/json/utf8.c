/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "utf8.h"

/* Returns the length of a character by its first byte, or 0 if no character begins so. */
static size_t length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/*
 * Returns the length of the character at @text, and stores its code. Returns 0 if the bytes are no
 * character.
 */
static size_t read_character(const unsigned char *text, uint32_t *which)
{
	/* The least code of each length; a smaller code is overlong. */
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = length_of(text[0]);
	uint32_t code;

	*which = text[0];
	if (length < 2)
		return length;
	code = text[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*which = code;
	return length;
}

static bool is_printable(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} unprintable[] = {
		{ 0, 0x1f },	    { 0x7f, 0x9f },	/* control characters */
		{ 0x2028, 0x2029 },			/* line and paragraph separator */
		{ 0x61c, 0x61c },   { 0x200e, 0x200f }, /* marks of direction */
		{ 0x202a, 0x202e }, { 0x2066, 0x2069 },
	};

	for (size_t i = 0; i < sizeof(unprintable) / sizeof(unprintable[0]); i++)
		if (code >= unprintable[i].first && code <= unprintable[i].last)
			return false;
	return true;
}

void utf8_make_printable(char *text)
{
	utf8_replace_unprintable(text, '?');
}

void utf8_replace_unprintable(char *text, char instead)
{
	size_t length;
	uint32_t code;

	while (*text) {
		length = read_character((const unsigned char *)text, &code);
		if (!length || !is_printable(code)) {
			length += !length;
			memset(text, instead, length);
		}
		text += length;
	}
}
