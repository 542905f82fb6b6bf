/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>
#include <stdint.h>

#include "utf8.h"

/* How long a character is by its first byte; 0: none begins so. */
static size_t length_of(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* How long the character at @text is; 0: it is none. */
static size_t character(const unsigned char *text)
{
	/* The first that takes so many bytes; what is below is overlong. */
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t length = length_of(text[0]);
	uint32_t code;

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
	return length;
}

void utf8_repair(char *text)
{
	size_t length;

	while (*text) {
		length = character((const unsigned char *)text);
		if (!length)
			*text = '?';
		text += length ? length : 1;
	}
}
