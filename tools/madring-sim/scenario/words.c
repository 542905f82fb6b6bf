/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdbool.h>
#include <string.h>

#include "scenario/words.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* Copies one word without its quotes, and ends it. NULL: a quote has no end. */
static const char *copy_word(char **to, const char *from)
{
	char quote = 0;

	for (; *from && (quote || !is_blank(*from)); from++) {
		if (quote && *from == quote)
			quote = 0;
		else if (!quote && (*from == '\'' || *from == '"'))
			quote = *from;
		else
			*(*to)++ = *from;
	}
	*(*to)++ = '\0';
	return quote ? NULL : from;
}

const char *words_split(struct words *words, const char *line)
{
	char *to = words->text;

	words->count = 0;
	/* Each word ends in a NUL where a blank was, and the last one's is the line's. */
	if (strlen(line) >= sizeof(words->text))
		return "too long a line";
	for (;;) {
		while (is_blank(*line))
			line++;
		if (!*line || *line == '#')
			return NULL;
		if (words->count == WORDS_COUNT)
			return "too many words";
		words->word[words->count++] = to;
		line = copy_word(&to, line);
		if (!line)
			return "a quote that does not end";
	}
}
