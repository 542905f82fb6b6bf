/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of a program: a table has one entry for each, from which option_table_read() makes
 * what getopt_long(3) wants and the text of --help. Every program has -h, --help and -V, --version
 * besides.
 */
#ifndef COMMON_OPTION_TABLE_H
#define COMMON_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The exit status of a wrong command line, and of a program that could not do its work. */
#define EXIT_UNABLE 2

enum option_kind {
	OPTION_KIND_FLAG,
	OPTION_KIND_BITS,
	OPTION_KIND_VALUE,
	OPTION_KIND_TEXT,
	OPTION_KIND_NUMBER,
	OPTION_KIND_SECONDS,
	OPTION_KIND_RETRIES,
	OPTION_KIND_FUNCTION,
	OPTION_KIND_IGNORED,
	OPTION_KIND_LEFT_OUT,
};

/*
 * Reads an option's argument @text, NULL for an optional one that is not there, into a field; ends
 * the program when it cannot. @option is the option's name with its dashes.
 */
typedef void option_function(void *field, const char *option, const char *text);

/* The effect of an option on a field of the structure that the options fill. */
struct option_value {
	enum option_kind kind;
	size_t offset, size;  /* of the field */
	uint64_t least, most; /* of a number; @least is also the value, or the bits, to set */
	option_function *function;
};

struct option_entry {
	char letter; /* the short option; 0: there is none */
	const char *name;
	const char *argument; /* its name in the help; NULL: the option takes none. An optional one
				 is in brackets, such as "[=US]", and read by an option_function. */
	const char *help;     /* without line breaks; of OPTION_LEFT_OUT: why it is refused */
	struct option_value value;
};

/*
 * The macros below end an entry: they make the option_value for a field of OPTION_STRUCT, which the
 * file with the table defines, such as "struct options". A field of the wrong type does not
 * compile.
 */
/* clang-format off */
#define OPTION_MEMBER(field) (((OPTION_STRUCT *)0)->field)
#define OPTION_FIELD(field) \
	.offset = offsetof(OPTION_STRUCT, field), .size = sizeof(OPTION_MEMBER(field))

/* Sets a bool. */
#define OPTION_FLAG(field) \
	{ .kind = _Generic(OPTION_MEMBER(field), bool: OPTION_KIND_FLAG), OPTION_FIELD(field) }

/* Adds bits to an unsigned int, or sets it to a value. */
#define OPTION_BITS(field, bits) \
	{ .kind = _Generic(OPTION_MEMBER(field), unsigned int: OPTION_KIND_BITS), \
	  OPTION_FIELD(field), .least = (bits) }
#define OPTION_VALUE(field, value) \
	{ .kind = _Generic(OPTION_MEMBER(field), unsigned int: OPTION_KIND_VALUE), \
	  OPTION_FIELD(field), .least = (value) }

/* Takes any text. */
#define OPTION_TEXT(field) \
	{ .kind = _Generic(OPTION_MEMBER(field), const char *: OPTION_KIND_TEXT), \
	  OPTION_FIELD(field) }

/* Takes a number, decimal or with 0x, into an integer of any size that holds @highest. */
#define OPTION_NUMBER(field, lowest, highest) \
	{ .kind = OPTION_KIND_NUMBER, OPTION_FIELD(field), .least = (lowest), .most = (highest) }

/* Takes seconds, from 0.001 to 1000000, into a uint64_t of nanoseconds. */
#define OPTION_SECONDS(field) \
	{ .kind = _Generic(OPTION_MEMBER(field), uint64_t: OPTION_KIND_SECONDS), \
	  OPTION_FIELD(field) }

/* Takes attempts after the first, 0 to 254, into an int as madring_agent_config has it. */
#define OPTION_RETRIES(field) \
	{ .kind = _Generic(OPTION_MEMBER(field), int: OPTION_KIND_RETRIES), OPTION_FIELD(field) }

/* Calls an option_function with a field, or with the whole structure. */
#define OPTION_BY(reader, field) \
	{ .kind = OPTION_KIND_FUNCTION, OPTION_FIELD(field), .function = (reader) }
#define OPTION_CALL(reader) { .kind = OPTION_KIND_FUNCTION, .function = (reader) }

/* Accepts the option, which has no effect. */
#define OPTION_IGNORED { .kind = OPTION_KIND_IGNORED }

/* Refuses the option, which the help does not show, and says why. */
#define OPTION_LEFT_OUT { .kind = OPTION_KIND_LEFT_OUT }

/*
 * OPTION_HEADING makes an entry that heads those after it in the help; OPTION_END, the entry that
 * ends the table.
 */
#define OPTION_HEADING(text) { .help = (text) }
#define OPTION_END { .help = NULL }
/* clang-format on */

struct option_table {
	const char *subcommand; /* what follows the program's name; NULL: nothing */
	const char *usage;	/* lines at the start of the help */
	const char *notes;	/* lines at its end */
	bool is_command_last;	/* options end at the first argument that is none */
	const struct option_entry *entries;
};

/*
 * Reads a command line into @options, an OPTION_STRUCT. Returns the index in argv of the first
 * argument that is no option. Ends the program for --help and --version, and, with a message, for
 * an option that is wrong.
 */
int option_table_read(const struct option_table *table, void *options, const char *version,
		      int argc, char *argv[]);

/* Ends the program with a message: it cannot do with @what, because of @why. */
void option_refuse(const char *what, const char *why) __attribute__((noreturn));

/*
 * Returns the number in @text, decimal or with 0x. Ends the program with a message when @text is
 * anything else, or out of bounds.
 */
uint64_t option_number(const char *option, const char *text, uint64_t least, uint64_t most);

#endif
