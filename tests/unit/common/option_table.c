/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of options: the values that each kind stores and refuses, and the help. */
#include "cmocka_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <madring.h>

#include "common/option_table.h"

#define MOST_WORDS 8

/* The exit status of a child whose command line was accepted. */
#define ACCEPTED 77

struct filled {
	bool flag;
	unsigned int bits;
	unsigned int value;
	const char *text;
	uint8_t small;
	uint16_t medium;
	int number;
	uint64_t large;
	uint64_t ns;
	int retries;
	char word[64];
	const char *guard; /* no option sets it */
};

#define OPTION_STRUCT struct filled

static void take_word(void *field, const char *option, const char *text)
{
	snprintf(field, sizeof(((struct filled *)0)->word), "%s=%s", option, text ? text : "none");
}

static void take_all(void *field, const char *option, const char *text)
{
	struct filled *filled = field;

	assert_string_equal(option, "--all");
	assert_null(text);
	filled->flag = true;
	filled->bits = 7;
}

static const struct option_entry entries[] = {
	OPTION_HEADING("First"),
	{ 'f', "flag", NULL, "becomes true", OPTION_FLAG(flag) },
	{ 0, "one", NULL, "adds a bit", OPTION_BITS(bits, 1) },
	{ 0, "four", NULL, "adds another bit", OPTION_BITS(bits, 4) },
	{ 'v', "value", NULL, "is 5", OPTION_VALUE(value, 5) },
	{ 'w', "worth", NULL, "is 6", OPTION_VALUE(value, 6) },
	{ 't', "text", "TEXT", "takes text that is long enough for a second line of this help",
	  OPTION_TEXT(text) },

	OPTION_HEADING("Second"),
	{ 's', "small", "N", "takes a number", OPTION_NUMBER(small, 1, UINT8_MAX) },
	{ 0, "medium", "N", "takes a number", OPTION_NUMBER(medium, 0, UINT16_MAX) },
	{ 'n', "number", "N", "takes a number", OPTION_NUMBER(number, 3, 1000) },
	{ 0, "large", "N", "takes a number", OPTION_NUMBER(large, 0, UINT64_MAX) },
	{ 0, "seconds", "SECONDS", "takes seconds", OPTION_SECONDS(ns) },
	{ 0, "retries", "N", "takes retries", OPTION_RETRIES(retries) },
	{ 0, "word-with-a-long-name", "ARGUMENT", "takes a word", OPTION_BY(take_word, word) },
	{ 'm', "maybe", "[=WORD]", "takes a word or none", OPTION_BY(take_word, word) },
	{ 'a', "all", NULL, "does two things", OPTION_CALL(take_all) },
	{ 0, "nothing", NULL, "has no effect", OPTION_IGNORED },
	{ 'g', "gone", NULL, "it is gone", OPTION_LEFT_OUT },
	{ 0, "other", "FILE", "here it is --text", OPTION_LEFT_OUT },
	OPTION_END,
};

static const struct option_table table = {
	.usage = "Usage: program\n",
	.notes = "Notes.\n",
	.entries = entries,
};

static const struct option_table command_table = {
	.subcommand = "do",
	.usage = "Usage: program do\n",
	.notes = "",
	.is_command_last = true,
	.entries = entries,
};

static const char expected_help[] =
	"Usage: program\n"
	"\n"
	"First:\n"
	"  -f, --flag             becomes true\n"
	"      --one              adds a bit\n"
	"      --four             adds another bit\n"
	"  -v, --value            is 5\n"
	"  -w, --worth            is 6\n"
	"  -t, --text TEXT        takes text that is long enough for a second line of\n"
	"                         this help\n"
	"\n"
	"Second:\n"
	"  -s, --small N          takes a number\n"
	"      --medium N         takes a number\n"
	"  -n, --number N         takes a number\n"
	"      --large N          takes a number\n"
	"      --seconds SECONDS  takes seconds\n"
	"      --retries N        takes retries\n"
	"      --word-with-a-long-name ARGUMENT\n"
	"                         takes a word\n"
	"  -m, --maybe[=WORD]     takes a word or none\n"
	"  -a, --all              does two things\n"
	"      --nothing          has no effect\n"
	"\n"
	"  -h, --help             print this help\n"
	"  -V, --version          print the version\n"
	"\n"
	"Notes.\n";

static int read_words(const struct option_table *from, struct filled *filled,
		      const char *const *words)
{
	char *argv[MOST_WORDS + 2] = { (char *)"program" };
	int argc = 1;

	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	*filled = (struct filled){ .guard = "untouched" };
	return option_table_read(from, filled, "1.2.3", argc, argv);
}

/*
 * Reads a command line in a child, whose output, to both standard streams, is compared. Without
 * @output, standard output is a full device. Returns the child's exit status.
 */
static int read_in_child(const struct option_table *from, const char *const *words,
			 const char *output)
{
	char text[4096];
	size_t length;
	FILE *file = tmpfile();
	int status;
	pid_t child;

	assert_non_null(file);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct filled filled;
		int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

		dup2(output ? fileno(file) : full, STDOUT_FILENO);
		dup2(fileno(file), STDERR_FILENO);
		read_words(from, &filled, words);
		_exit(ACCEPTED);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(fseek(file, 0, SEEK_SET), 0);
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	if (output)
		assert_string_equal(text, output);
	return WEXITSTATUS(status);
}

#define WORDS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static void expect_refusal(const char *message, const char *const *words)
{
	assert_int_equal(read_in_child(&table, words, message), EXIT_UNABLE);
}

static void test_kinds_store_their_values(void **state)
{
	struct filled filled;

	read_words(&table, &filled, WORDS("--flag", "--one", "--four", "-v", "-w", "--nothing"));
	assert_true(filled.flag);
	assert_int_equal(filled.bits, 5);
	assert_int_equal(filled.value, 6);
	assert_null(filled.text);

	read_words(&table, &filled, WORDS("-t", "some words", "--seconds", "0.25", "-a"));
	assert_string_equal(filled.text, "some words");
	assert_true(filled.ns == 250000000);
	assert_int_equal(filled.bits, 7);

	read_words(&table, &filled, WORDS("--word-with-a-long-name=x"));
	assert_string_equal(filled.word, "--word-with-a-long-name=x");
	assert_string_equal(filled.guard, "untouched");
}

static void test_optional_argument_may_be_absent(void **state)
{
	struct filled filled;

	read_words(&table, &filled, WORDS("--maybe=x"));
	assert_string_equal(filled.word, "--maybe=x");
	read_words(&table, &filled, WORDS("-mx"));
	assert_string_equal(filled.word, "--maybe=x");
	assert_int_equal(read_words(&table, &filled, WORDS("-m", "x")), 2);
	assert_string_equal(filled.word, "--maybe=none");
}

static void test_numbers_of_every_size(void **state)
{
	struct filled filled;

	read_words(&table, &filled, WORDS("-s255", "--medium", "0xffff", "-n", "1000"));
	assert_int_equal(filled.small, 255);
	assert_int_equal(filled.medium, 0xffff);
	assert_int_equal(filled.number, 1000);
	assert_true(!filled.large && !filled.ns);

	read_words(&table, &filled, WORDS("--large", "18446744073709551615", "--small=1", "-n3"));
	assert_true(filled.large == UINT64_MAX);
	assert_int_equal(filled.small, 1);
	assert_int_equal(filled.number, 3);
	assert_int_equal(filled.medium, 0);
}

static void test_retries(void **state)
{
	struct filled filled;

	read_words(&table, &filled, WORDS("--retries", "0"));
	assert_int_equal(filled.retries, MADRING_NO_RETRIES);
	read_words(&table, &filled, WORDS("--retries", "254"));
	assert_int_equal(filled.retries, 254);
	expect_refusal("program: --retries \"255\": takes a number from 0 to 254, not this\n",
		       WORDS("--retries", "255"));
}

static void test_wrong_numbers_are_refused(void **state)
{
	static const char *const wrong[] = { "2", "1001", "-3", "-18446744073709551611",
					     "",  "x",	  "3x", "18446744073709551619" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char message[128];

		snprintf(message, sizeof(message),
			 "program: --number \"%s\": takes a number from 3 to 1000, not this\n",
			 wrong[i]);
		expect_refusal(message, WORDS("-n", wrong[i]));
	}
	expect_refusal("program: --small \"0\": takes a number from 1 to 255, not this\n",
		       WORDS("--small", "0"));
	expect_refusal("program: --large \"18446744073709551616\": takes a number from 0 to "
		       "18446744073709551615, not this\n",
		       WORDS("--large", "18446744073709551616"));
}

static void test_wrong_seconds_are_refused(void **state)
{
	static const char *const wrong[] = {
		"0", "0.0009", "1000001", "-1", "nan", "inf", "", "1s"
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		expect_refusal("program: --seconds: takes seconds, from 0.001 to 1000000; see "
			       "program --help\n",
			       WORDS("--seconds", wrong[i]));
}

static void test_unknown_options_are_refused(void **state)
{
	expect_refusal("program: --none: no such option, or short for more than one; see program "
		       "--help\n",
		       WORDS("--none"));
	expect_refusal("program: --n: no such option, or short for more than one; see program "
		       "--help\n",
		       WORDS("--n"));
	expect_refusal("program: -x: no such option; see program --help\n", WORDS("-fx"));
	expect_refusal("program: --flag=1: this option takes no argument; see program --help\n",
		       WORDS("--flag=1"));
	expect_refusal("program: -t: this option takes an argument; see program --help\n",
		       WORDS("-t"));
	expect_refusal("program: --text: this option takes an argument; see program --help\n",
		       WORDS("--text"));
	expect_refusal("program: -g, --gone: it is gone; see program --help\n", WORDS("-g"));
	expect_refusal("program: --other: here it is --text; see program --help\n",
		       WORDS("--other", "file"));
	assert_int_equal(read_in_child(&command_table, WORDS("--none"),
				       "program: --none: no such option, or short for more than "
				       "one; see program do --help\n"),
			 EXIT_UNABLE);
}

static void test_letters_and_names_are_short(void **state)
{
	struct filled filled;

	read_words(&table, &filled, WORDS("-fvs7", "--num", "9"));
	assert_true(filled.flag);
	assert_int_equal(filled.value, 5);
	assert_int_equal(filled.small, 7);
	assert_int_equal(filled.number, 9);
}

static void test_index_of_other_arguments(void **state)
{
	struct filled filled;

	assert_int_equal(read_words(&table, &filled, WORDS("a", "-f", "b")), 2);
	assert_true(filled.flag);
	assert_int_equal(read_words(&table, &filled, WORDS("-f")), 2);
	assert_int_equal(read_words(&table, &filled, WORDS("--", "-f")), 2);
	assert_false(filled.flag);

	assert_int_equal(read_words(&command_table, &filled, WORDS("-v", "a", "-f")), 2);
	assert_int_equal(filled.value, 5);
	assert_false(filled.flag);
	assert_int_equal(read_words(&command_table, &filled, WORDS("-v", "--", "-f")), 3);
}

static void test_help_and_version(void **state)
{
	assert_int_equal(read_in_child(&table, WORDS("--help"), expected_help), 0);
	assert_int_equal(read_in_child(&table, WORDS("-f", "-h"), expected_help), 0);
	assert_int_equal(read_in_child(&table, WORDS("-V"), "program 1.2.3\n"), 0);
	assert_int_equal(read_in_child(&table, WORDS("--help"), NULL), EXIT_UNABLE);
	assert_int_equal(read_in_child(&table, WORDS("--version"), NULL), EXIT_UNABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_store_their_values),
		cmocka_unit_test(test_optional_argument_may_be_absent),
		cmocka_unit_test(test_numbers_of_every_size),
		cmocka_unit_test(test_retries),
		cmocka_unit_test(test_wrong_numbers_are_refused),
		cmocka_unit_test(test_wrong_seconds_are_refused),
		cmocka_unit_test(test_unknown_options_are_refused),
		cmocka_unit_test(test_letters_and_names_are_short),
		cmocka_unit_test(test_index_of_other_arguments),
		cmocka_unit_test(test_help_and_version),
	};

	program_invocation_short_name = (char *)"program";
	return cmocka_run_group_tests(tests, NULL, NULL);
}
