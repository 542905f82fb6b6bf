/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the words of a command one by one, as what they have to be. */
#ifndef SIM_SCENARIO_PARSER_H
#define SIM_SCENARIO_PARSER_H

#include "scenario/scenario.h"

#define DURATION_MAX 2592000000000000 /* 30 days, in ns */

struct parser {
	struct scenario *scenario;
	const char *const *words;
	size_t count, next;
	const char *usage; /* of the command that is being parsed */
	bool answers;	   /* there is somebody to answer to, now */
	struct scenario_error *error;
};

/* Says what is wrong; unprintable bytes of it are left out. Returns -EINVAL. */
int refuse(struct scenario_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Says it of -errno, and returns that. */
int refuse_because(struct scenario_error *error, int ret);

/* The next word, which stays; NULL: there is none. */
const char *peek_word(const struct parser *parser);

/* Whether the next word is this; then it is taken. */
bool take_keyword(struct parser *parser, const char *keyword);

/* All return 0, or -EINVAL with the reason: there is no word left, or it is none of these. */
int take_word(struct parser *parser, const char **word);
int take_duration(struct parser *parser, uint64_t *ns);
int take_probability(struct parser *parser, double *probability);
int take_real(struct parser *parser, double max, double *number); /* 0 or more */
int take_number(struct parser *parser, uint64_t min, uint64_t max, uint64_t *number);
/* A whole number that may end in k, M or G. */
int take_amount(struct parser *parser, uint64_t max, uint64_t *amount);
/* The position in @choices, whose last is NULL. */
int take_choice(struct parser *parser, const char *const *choices, size_t *choice);
int take_end(struct parser *parser);

/* A time: since the start, or "+" and how long after @base. */
int take_time(struct parser *parser, uint64_t base, uint64_t *time);

#endif
