/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scenario/parser.h"

#define DECIMAL	    10
#define HEXADECIMAL 16

int refuse(struct scenario_error *error, const char *format, ...)
{
	unsigned char *c;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	for (c = (unsigned char *)error->text; *c; c++) {
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	return -EINVAL;
}

int refuse_because(struct scenario_error *error, int result)
{
	if (result == -ENOSPC)
		refuse(error, "more is scheduled than a scenario can hold");
	else
		refuse(error, "%s", strerror(-result));
	return result;
}

const char *peek_word(const struct parser *parser)
{
	return parser->next < parser->count ? parser->words[parser->next] : NULL;
}

bool take_keyword(struct parser *parser, const char *keyword)
{
	const char *word = peek_word(parser);

	if (!word || strcmp(word, keyword) != 0)
		return false;
	parser->next++;
	return true;
}

int take_word(struct parser *parser, const char **word)
{
	*word = peek_word(parser);
	if (!*word)
		return refuse(parser->error, "something is missing; usage: %s", parser->usage);
	parser->next++;
	return 0;
}

int take_end(struct parser *parser)
{
	const char *word = peek_word(parser);

	if (!word)
		return 0;
	return refuse(parser->error, "%.80s: too much; usage: %s", word, parser->usage);
}

/* parse_number reads a whole number; *@end is what follows it. */
static bool parse_number(const char *text, uint64_t *number, const char **end)
{
	char *stop;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*number = strtoull(text, &stop, DECIMAL);
	*end = stop;
	return !errno;
}

int take_number(struct parser *parser, uint64_t min, uint64_t max, uint64_t *number)
{
	const char *word, *end;
	int error = take_word(parser, &word);

	if (error)
		return error;
	if (parse_number(word, number, &end) && !*end && *number >= min && *number <= max)
		return 0;
	return refuse(parser->error, "%.80s: not a whole number from %llu to %llu", word,
		      (unsigned long long)min, (unsigned long long)max);
}

int take_key(struct parser *parser, uint64_t max, uint64_t *key)
{
	const char *word;
	char *end;
	int error = take_word(parser, &word);

	if (error)
		return error;
	errno = 0;
	*key = strtoull(word, &end, strncasecmp(word, "0x", 2) ? DECIMAL : HEXADECIMAL);
	if (isdigit((unsigned char)*word) && !errno && !*end && *key <= max)
		return 0;
	return refuse(parser->error, "%.80s: not a key from 0 to 0x%llx", word,
		      (unsigned long long)max);
}

/* multiple returns what k, M or G stands for; 0: another letter. */
static uint64_t multiple(const char *letter)
{
	if (!*letter)
		return 1;
	if (letter[1])
		return 0;
	switch (*letter) {
	case 'k':
		return 1000;
	case 'M':
		return 1000000;
	case 'G':
		return 1000000000;
	default:
		return 0;
	}
}

int take_amount(struct parser *parser, uint64_t max, uint64_t *amount)
{
	const char *word, *letter;
	int error = take_word(parser, &word);

	if (error)
		return error;
	if (parse_number(word, amount, &letter)) {
		uint64_t unit = multiple(letter);

		if (unit && *amount <= max / unit) {
			*amount *= unit;
			return 0;
		}
	}
	return refuse(parser->error, "%.80s: not a number up to %llu, such as 4096, 10k, 2M or 1G",
		      word, (unsigned long long)max);
}

static bool parse_real(const char *text, double max, double *number)
{
	char *end;

	*number = strtod(text, &end);
	return end != text && !*end && *number >= 0 && *number <= max;
}

int take_real(struct parser *parser, double max, double *number)
{
	const char *word;
	int error = take_word(parser, &word);

	if (error || parse_real(word, max, number))
		return error;
	return refuse(parser->error, "%.80s: not a number, 0 to %.15g", word, max);
}

int take_probability(struct parser *parser, double *probability)
{
	const char *word;
	int error = take_word(parser, &word);

	if (error || parse_real(word, 1, probability))
		return error;
	return refuse(parser->error, "%.80s: not a probability, 0 to 1", word);
}

int take_choice(struct parser *parser, const char *const *choices, size_t *choice)
{
	const char *word;
	int error = take_word(parser, &word);

	if (error)
		return error;
	for (*choice = 0; choices[*choice]; (*choice)++) {
		if (!strcmp(word, choices[*choice]))
			return 0;
	}
	return refuse(parser->error, "%.80s: unknown here; usage: %s", word, parser->usage);
}

static uint64_t ns_of_unit(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 },	     { "us", 1000 },	     { "ms", 1000000 },
		{ "s", 1000000000 }, { "min", 60000000000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	}
	return 0;
}

/*
 * parse_duration reads a number, perhaps with a fraction, and its unit; 0 needs none. The result is
 * exact, in whole ns. Returns NULL, or what is wrong.
 */
static const char *parse_duration(const char *text, uint64_t *ns)
{
	const char *digits = text, *unit = text + strspn(text, "0123456789."), *c;
	uint64_t left = ns_of_unit(unit), part;

	if (!strcmp(text, "0")) {
		*ns = 0;
		return NULL;
	}
	if (!left || !isdigit((unsigned char)*digits))
		return "not a duration, such as 5ms, 1.5s or 250us";
	*ns = 0;
	for (c = digits; isdigit((unsigned char)*c); c++) {
		*ns = *ns * DECIMAL + (uint64_t)(*c - '0') * left;
		if (*ns > DURATION_MAX)
			return "longer than 30 days";
	}
	if (*c != '.')
		return NULL;
	if (c + 1 == unit)
		return "digits are missing after the point";
	for (c++; isdigit((unsigned char)*c); c++) {
		part = (uint64_t)(*c - '0') * left;
		if (part % DECIMAL || (!left && *c != '0'))
			return "finer than a nanosecond";
		*ns += part / DECIMAL;
		left /= DECIMAL;
	}
	if (c != unit)
		return "two points";
	return *ns > DURATION_MAX ? "longer than 30 days" : NULL;
}

int take_duration(struct parser *parser, uint64_t *ns)
{
	const char *word, *wrong;
	int error = take_word(parser, &word);

	if (error)
		return error;
	wrong = parse_duration(word, ns);
	return wrong ? refuse(parser->error, "%.80s: %s", word, wrong) : 0;
}

int take_time(struct parser *parser, uint64_t base, uint64_t *time)
{
	const char *word, *wrong;
	bool after;
	int error = take_word(parser, &word);

	if (error)
		return error;
	after = *word == '+';
	wrong = parse_duration(word + after, time);
	if (wrong)
		return refuse(parser->error, "%.80s: %s", word, wrong);
	if (after)
		*time += base;
	return *time <= DURATION_MAX ? 0 : refuse(parser->error, "%.80s: after 30 days", word);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* copy_word copies one word without its quotes, and ends it. Returns NULL if a quote has no end. */
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
	/*
	 * Each word ends in a NUL in the place of a blank or of the line's end, so the text fits.
	 */
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
