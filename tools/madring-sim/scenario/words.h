/* SPDX-License-Identifier: BSD-2-Clause */
/* A line's words: separated by blanks, quoted by ' or ", up to a # that begins a word. */
#ifndef SIM_SCENARIO_WORDS_H
#define SIM_SCENARIO_WORDS_H

#include <stddef.h>

#define WORDS_LINE  4096 /* bytes of a line, and one more */
#define WORDS_COUNT 64

struct words {
	char text[WORDS_LINE];
	const char *word[WORDS_COUNT];
	size_t count;
};

/* NULL, or what is wrong with the line. */
const char *words_split(struct words *words, const char *line);

#endif
