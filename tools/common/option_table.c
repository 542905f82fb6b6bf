/* SPDX-License-Identifier: BSD-2-Clause */
#include "option_table.h"

#include <assert.h>
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
#define MOST_OPTIONS 96

/* getopt_long(3) returns this plus i for the entry with index i, if the entry has no letter. */
#define FIRST_LONG 256

/*
 * The width of the help, and the rightmost place of its second column. An option that is too long
 * for the first column has a line of its own.
 */
#define HELP_WIDTH  80
#define HELP_INDENT 29

static const struct option_entry usual_entries[] = {
	{ 'h', "help", NULL, "print this help", OPTION_IGNORED },
	{ 'V', "version", NULL, "print the version", OPTION_IGNORED },
};

void option_refuse(const char *what, const char *why)
{
	complain("%s: %s; see %s --help", what, why, program_invocation_short_name);
	exit(EXIT_UNABLE);
}

uint64_t option_number(const char *option, const char *text, uint64_t least, uint64_t most)
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

static uint64_t read_seconds(const char *option, const char *text)
{
	char *rest;
	double seconds = strtod(text, &rest);

	if (rest == text || *rest || !(seconds >= 0.001 && seconds <= 1e6))
		option_refuse(option, "takes seconds, from 0.001 to 1000000");
	return (uint64_t)(seconds * 1e9);
}

static int read_retries(const char *option, const char *text)
{
	int retries = (int)option_number(option, text, 0, MOST_RETRIES);

	return retries ? retries : MADRING_NO_RETRIES;
}

static void store_number(void *field, size_t size, uint64_t number)
{
	assert(size == sizeof(number) || number >> 8 * size == 0);
	switch (size) {
	case sizeof(uint8_t):
		*(uint8_t *)field = (uint8_t)number;
		break;
	case sizeof(uint16_t):
		*(uint16_t *)field = (uint16_t)number;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)field = (uint32_t)number;
		break;
	case sizeof(uint64_t):
		*(uint64_t *)field = number;
		break;
	default:
		assert(!"a number of this size");
	}
}

/*
 * Stores the value of an option in its field of @options. Ends the program if the value is wrong.
 */
static void take_option(const struct option_entry *entry, void *options, const char *text)
{
	const struct option_value *value = &entry->value;
	void *field = (char *)options + value->offset;
	char option[64];

	if (value->kind == OPTION_KIND_LEFT_OUT && entry->letter)
		snprintf(option, sizeof(option), "-%c, --%s", entry->letter, entry->name);
	else
		snprintf(option, sizeof(option), "--%s", entry->name);
	switch (value->kind) {
	case OPTION_KIND_FLAG:
		*(bool *)field = true;
		break;
	case OPTION_KIND_BITS:
		*(unsigned int *)field |= (unsigned int)value->least;
		break;
	case OPTION_KIND_VALUE:
		*(unsigned int *)field = (unsigned int)value->least;
		break;
	case OPTION_KIND_TEXT:
		*(const char **)field = text;
		break;
	case OPTION_KIND_NUMBER:
		store_number(field, value->size,
			     option_number(option, text, value->least, value->most));
		break;
	case OPTION_KIND_SECONDS:
		*(uint64_t *)field = read_seconds(option, text);
		break;
	case OPTION_KIND_RETRIES:
		*(int *)field = read_retries(option, text);
		break;
	case OPTION_KIND_FUNCTION:
		value->function(field, option, text);
		break;
	case OPTION_KIND_IGNORED:
		break;
	case OPTION_KIND_LEFT_OUT:
		option_refuse(option, entry->help);
	}
}

/* Ends the program after it has written to standard output what it was asked for. */
static void __attribute__((noreturn)) end_after_output(void)
{
	exit(output_close_standard() ? EXIT_UNABLE : EXIT_SUCCESS);
}

static bool has_optional_argument(const struct option_entry *entry)
{
	return entry->argument && *entry->argument == '[';
}

/* Returns the columns of an option and its argument, without the space around them. */
static int option_columns(const struct option_entry *entry)
{
	int columns = (int)(strlen("-x, --") + strlen(entry->name));

	if (!entry->argument)
		return columns;
	return columns + !has_optional_argument(entry) + (int)strlen(entry->argument);
}

/* Writes words from @column on. @indent: the column where each further line begins. */
static void print_wrapped(const char *text, int column, int indent)
{
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column > indent && column + 1 + length > HELP_WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", length, text);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void print_entry(const struct option_entry *entry, int indent)
{
	char letter[] = { '-', entry->letter, ',', '\0' };
	int column = 2 + option_columns(entry);

	if (entry->value.kind == OPTION_KIND_LEFT_OUT)
		return;
	printf("  %3s --%s%s%s", entry->letter ? letter : "", entry->name,
	       entry->argument && !has_optional_argument(entry) ? " " : "",
	       entry->argument ? entry->argument : "");
	if (column >= indent) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", indent - column, "");
	print_wrapped(entry->help, indent, indent);
}

/* Prints the usage and all options in two columns, and ends the program. */
static void __attribute__((noreturn)) print_help(const struct option_table *table)
{
	const struct option_entry *entry;
	int indent = 0;

	for (entry = table->entries; entry->help; entry++) {
		int column = entry->name && entry->value.kind != OPTION_KIND_LEFT_OUT
				     ? 2 + option_columns(entry) + 2
				     : 0;

		if (column > indent && column <= HELP_INDENT)
			indent = column;
	}
	fputs(table->usage, stdout);
	if (table->entries->name)
		putchar('\n');
	for (entry = table->entries; entry->help; entry++) {
		if (entry->name)
			print_entry(entry, indent);
		else
			printf("\n%s:\n", entry->help);
	}
	putchar('\n');
	print_entry(&usual_entries[0], indent);
	print_entry(&usual_entries[1], indent);
	printf("\n%s", table->notes);
	end_after_output();
}

/* Ends the program: an option of @word, a long one or some letters, is unknown or wrongly used. */
static void __attribute__((noreturn)) refuse_option(const struct option_table *table, int found,
						    const char *word)
{
	char letter[] = { '-', (char)optopt, '\0' };
	const char *what = word, *why;

	if (found == ':') {
		why = "this option takes an argument";
	} else if (!optopt) {
		why = "no such option, or short for more than one";
	} else if (!strncmp(word, "--", 2) && strchr(word, '=')) {
		why = "this option takes no argument";
	} else {
		what = letter;
		why = "no such option";
	}
	complain("%s: %s; see %s%s%s --help", what, why, program_invocation_short_name,
		 table->subcommand ? " " : "", table->subcommand ? table->subcommand : "");
	exit(EXIT_UNABLE);
}

/* The arguments of getopt_long(3). */
struct getopt_arguments {
	struct option long_options[MOST_OPTIONS + 1];
	char short_options[2 + 3 * MOST_OPTIONS + 1];
};

static void add_option(struct getopt_arguments *arguments, size_t index,
		       const struct option_entry *entry, int found)
{
	char *letters = arguments->short_options + strlen(arguments->short_options);
	int with_argument = has_optional_argument(entry) ? optional_argument : required_argument;

	assert(index < MOST_OPTIONS);
	arguments->long_options[index] = (struct option){
		.name = entry->name,
		.has_arg = entry->argument ? with_argument : no_argument,
		.val = found,
	};
	if (!entry->letter)
		return;
	*letters++ = entry->letter;
	if (entry->argument)
		*letters++ = ':';
	if (has_optional_argument(entry))
		*letters++ = ':';
	*letters = '\0';
}

static void prepare_getopt(struct getopt_arguments *arguments, const struct option_table *table)
{
	size_t count = 0;

	*arguments = (struct getopt_arguments){ 0 };
	/* The colon keeps getopt_long() from writing messages of its own. */
	snprintf(arguments->short_options, sizeof(arguments->short_options), "%s",
		 table->is_command_last ? "+:" : ":");
	for (size_t i = 0; table->entries[i].help; i++) {
		const struct option_entry *entry = &table->entries[i];
		int found = entry->letter ? entry->letter : FIRST_LONG + (int)i;

		if (entry->name)
			add_option(arguments, count++, entry, found);
	}
	add_option(arguments, count++, &usual_entries[0], 'h');
	add_option(arguments, count++, &usual_entries[1], 'V');
}

static const struct option_entry *find_entry(const struct option_table *table, int found)
{
	const struct option_entry *entry = table->entries;

	if (found >= FIRST_LONG)
		return &entry[found - FIRST_LONG];
	while (entry->letter != found)
		entry++;
	return entry;
}

int option_table_read(const struct option_table *table, void *options, const char *version,
		      int argc, char *argv[])
{
	struct getopt_arguments arguments;

	prepare_getopt(&arguments, table);
	optind = 0; /* glibc's way to begin anew */
	for (;;) {
		int found = getopt_long(argc, argv, arguments.short_options, arguments.long_options,
					NULL);

		switch (found) {
		case -1:
			return optind;
		case '?':
		case ':':
			refuse_option(table, found, argv[optind - 1]);
		case 'h':
			print_help(table);
		case 'V':
			printf("%s %s\n", program_invocation_short_name, version);
			end_after_output();
		default:
			take_option(find_entry(table, found), options, optarg);
		}
	}
}
