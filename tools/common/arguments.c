/* SPDX-License-Identifier: BSD-2-Clause */
#include "arguments.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <madring.h>

#include "complain.h"
#include "output.h"

#define MOST_RETRIES 254

void argument_refuse(const char *what, const char *why)
{
	complain("%s: %s; see %s --help", what, why, program_invocation_short_name);
	exit(EXIT_UNABLE);
}

/* The program has written to standard output what it was asked for. */
static void __attribute__((noreturn)) end(void)
{
	exit(output_close(stdout, NULL) ? EXIT_UNABLE : EXIT_SUCCESS);
}

uint64_t argument_number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	unsigned long long value;
	char *rest;

	errno = 0;
	value = strtoull(text, &rest, 0);
	if (!errno && rest != text && !*rest && !strchr(text, '-') && value >= least &&
	    value <= most)
		return value;
	complain("%s \"%s\": takes a number from %" PRIu64 " to %" PRIu64 ", not this", option,
		 text, least, most);
	exit(EXIT_UNABLE);
}

uint64_t argument_seconds(const char *option, const char *text)
{
	char *rest;
	double seconds = strtod(text, &rest);

	if (rest == text || *rest || !(seconds >= 0.001 && seconds <= 1e6))
		argument_refuse(option, "takes seconds, from 0.001 to 1000000");
	return (uint64_t)(seconds * 1e9);
}

int argument_retries(const char *text)
{
	int retries = (int)argument_number("--retries", text, 0, MOST_RETRIES);

	return retries ? retries : MADRING_NO_RETRIES;
}

/* A letter of several, or the long option @word. */
static void __attribute__((noreturn)) refuse_unknown(const char *word)
{
	char letter[] = { '-', (char)optopt, '\0' };

	if (!optopt)
		argument_refuse(word, "no such option, or short for more than one");
	if (!strncmp(word, "--", 2) && strchr(word, '='))
		argument_refuse(word, "this option takes no argument");
	argument_refuse(letter, "no such option");
}

void argument_usual(int option, const char *word, const char *help)
{
	switch (option) {
	case 'h':
		fputs(help, stdout);
		end();
	case 'V':
		printf("%s %s\n", program_invocation_short_name, madring_version());
		end();
	case '?':
		refuse_unknown(word);
	case ':':
		argument_refuse(word, "this option takes an argument");
	}
}
