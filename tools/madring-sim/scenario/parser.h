/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits a line into words, and takes a command's words one by one. */
#ifndef SIM_SCENARIO_PARSER_H
#define SIM_SCENARIO_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario/types.h"

struct scenario;

#define WORDS_LINE  4096 /* bytes of a line, and one more */
#define WORDS_COUNT 64

/* The words of a line: separated by blanks, quoted by ' or ", up to a # that begins a word. */
struct words {
	char text[WORDS_LINE];
	const char *word[WORDS_COUNT];
	size_t count;
};

/* words_split returns NULL, or what is wrong with the line. */
const char *words_split(struct words *words, const char *line);

#define DURATION_MAX 2592000000000000 /* 30 days, in ns */

struct parser {
	struct scenario *scenario;
	const char *const *words;
	size_t count, next;
	const char *usage; /* of the command that is being parsed */
	bool answers;	   /* an answer has a reader */
	struct scenario_error *error;
};

/* refuse says what is wrong, with unprintable bytes replaced. Returns -EINVAL. */
int refuse(struct scenario_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* refuse_because writes what an -errno means, and returns it. */
int refuse_because(struct scenario_error *error, int ret);

/* peek_word returns the next word and does not take it, or NULL if there is none. */
const char *peek_word(const struct parser *parser);

/* take_keyword takes the next word if it is this one. */
bool take_keyword(struct parser *parser, const char *keyword);

/*
 * The functions below take the next word. They return 0, or -EINVAL with the reason: there is no
 * word left, or it is not of this form.
 */
int take_word(struct parser *parser, const char **word);
int take_duration(struct parser *parser, uint64_t *ns);
int take_probability(struct parser *parser, double *probability);
int take_real(struct parser *parser, double max, double *number); /* 0 or more */
int take_number(struct parser *parser, uint64_t min, uint64_t max, uint64_t *number);
/* take_key takes a number, decimal or with 0x. */
int take_key(struct parser *parser, uint64_t max, uint64_t *key);
/* take_amount takes a whole number that may end in k, M or G. */
int take_amount(struct parser *parser, uint64_t max, uint64_t *amount);
/* take_choice takes a word of @choices, whose last is NULL, and returns its position in @choice. */
int take_choice(struct parser *parser, const char *const *choices, size_t *choice);
int take_end(struct parser *parser);

/* take_time takes a time since the start, or "+" and the time since @base. */
int take_time(struct parser *parser, uint64_t base, uint64_t *time);

#endif
