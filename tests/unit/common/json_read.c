/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading JSON value by value, wherever the buffer ends in it. */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_read.h"

/* Starts to read @text behind @spaces spaces. The caller closes the file. */
static FILE *start(struct json_reader *reader, const char *text, size_t spaces)
{
	size_t bytes = spaces + strlen(text);
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_true(fprintf(file, "%*s%s", (int)spaces, "", text) == (int)bytes);
	assert_false(fseek(file, 0, SEEK_SET));
	json_read_start(reader, file);
	return file;
}

static void expect_error(struct json_reader *reader, FILE *file, const char *expected)
{
	char text[JSON_READ_ERROR_BYTES];
	const char *error = json_read_error(reader, text);

	if (expected)
		assert_string_equal(error, expected);
	else
		assert_null(error);
	json_read_end(reader);
	fclose(file);
}

/* Reads an object of arrays of numbers, and returns the sum of the numbers. */
static uint64_t sum_arrays(struct json_reader *reader)
{
	char key[JSON_KEY_BYTES];
	uint64_t sum = 0, number;

	assert_true(json_read_begin(reader, '{'));
	while (json_read_more(reader, '}') && json_read_key(reader, key)) {
		assert_true(json_read_begin(reader, '['));
		while (json_read_more(reader, ']') && json_read_number(reader, &number))
			sum += number;
	}
	return sum;
}

static void expect_text(struct json_reader *reader, const char *expected)
{
	char text[16];

	assert_true(json_read_more(reader, ']'));
	assert_true(json_read_text(reader, text, sizeof(text)));
	assert_string_equal(text, expected);
}

static void expect_number(struct json_reader *reader, uint64_t expected)
{
	uint64_t number;

	assert_true(json_read_more(reader, ']'));
	assert_true(json_read_number(reader, &number));
	assert_true(number == expected);
}

static void expect_flag(struct json_reader *reader, bool expected)
{
	bool flag;

	assert_true(json_read_more(reader, ']'));
	assert_true(json_read_flag(reader, &flag));
	assert_int_equal(flag, expected);
}

static void values_span_the_buffer(void **state)
{
	const char text[] = "{ \"first\": [ 1, 20, 300 ], \"\": [],\n\"third\" : [4000]}";

	for (size_t before = 0; before <= sizeof(text); before++) {
		struct json_reader reader;
		FILE *file = start(&reader, text, JSON_READ_BYTES - before);

		assert_int_equal(sum_arrays(&reader), 4321);
		assert_int_equal(reader.line, 2);
		expect_error(&reader, file, NULL);
	}
}

static void values_of_another_type_have_a_default(void **state)
{
	const char text[] =
		"[ \"plain\", \"es\\\"caped\\n\", \"cut after fifteen\", 7, null, "
		"0, 18446744073709551614, 123456789012345678, -1, 0.5, \"1\", [ 1 ], "
		"true, false, \"true\", 1, \n"
		"{ \"key\\t\": 1, \"a key that has more than thirty-nine bytes\": { \"\": [ ] } }, "
		"null, \"text\", 12, [ 1.5e3, \"]\" ]]";

	for (size_t before = 0; before <= sizeof(text); before++) {
		struct json_reader reader;
		char key[JSON_KEY_BYTES];
		FILE *file = start(&reader, text, JSON_READ_BYTES - before);

		assert_true(json_read_begin(&reader, '['));
		expect_text(&reader, "plain");
		expect_text(&reader, "es\"caped\n");
		expect_text(&reader, "cut after fifte");
		expect_text(&reader, "");
		expect_text(&reader, "");
		expect_number(&reader, 0);
		expect_number(&reader, UINT64_MAX - 1);
		expect_number(&reader, 123456789012345678);
		for (unsigned int i = 0; i < 4; i++)
			expect_number(&reader, UINT64_MAX);
		expect_flag(&reader, true);
		expect_flag(&reader, false);
		expect_flag(&reader, false);
		expect_flag(&reader, false);
		assert_true(json_read_more(&reader, ']'));
		assert_false(json_read_begin(&reader, '['));
		assert_true(json_read_begin(&reader, '{'));
		assert_true(json_read_more(&reader, '}'));
		assert_true(json_read_key(&reader, key));
		assert_string_equal(key, "key\t");
		assert_true(json_read_skip(&reader));
		assert_true(json_read_more(&reader, '}'));
		assert_true(json_read_key(&reader, key));
		assert_string_equal(key, "a key that has more than thirty-nine by");
		assert_true(json_read_skip(&reader));
		assert_false(json_read_more(&reader, '}'));
		for (unsigned int i = 0; i < 4; i++)
			assert_true(json_read_more(&reader, ']') && json_read_skip(&reader));
		assert_false(json_read_more(&reader, ']'));
		assert_int_equal(reader.line, 2);
		expect_error(&reader, file, NULL);
	}
}

static void only_the_beginning_container_is_begun(void **state)
{
	struct json_reader reader;
	FILE *file = start(&reader, " {\"a\": null}", 0);

	assert_false(json_read_begin(&reader, '['));
	assert_false(json_read_null(&reader));
	expect_error(&reader, file, NULL);
}

static void null_spans_the_buffer(void **state)
{
	const char text[] = "[null, nan, { \"a\": null }, 0,null]";

	for (size_t before = 0; before <= sizeof(text); before++) {
		struct json_reader reader;
		FILE *file = start(&reader, text, JSON_READ_BYTES - before);

		assert_true(json_read_begin(&reader, '['));
		for (unsigned int i = 0; i < 5; i++) {
			assert_true(json_read_more(&reader, ']'));
			assert_int_equal(json_read_null(&reader), i == 0 || i == 4);
		}
		assert_false(json_read_more(&reader, ']'));
		expect_error(&reader, file, NULL);
	}
}

/* Reads over the whole text. */
static void expect_skipped(const char *text, const char *error)
{
	struct json_reader reader;
	FILE *file = start(&reader, text, 0);

	assert_int_equal(json_read_skip(&reader), !error);
	expect_error(&reader, file, error);
}

/* Writes an array in arrays. */
static const char *nest(char text[100], int depth)
{
	snprintf(text, 100, "%.*s%.*s", depth, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", depth,
		 "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
	return text;
}

static void containers_are_skipped(void **state)
{
	char text[100];

	expect_skipped("{\"a\": {}, \"b\": [[], {\"c\": [1.5, \"\\n\", false]}], \"d\": null}",
		       NULL);
	expect_skipped(nest(text, 32), NULL);
	expect_skipped(nest(text, 33), "line 1: nesting too deep");
	expect_skipped("[{\"a\": 1},\n}", "line 2: unexpected character");
	expect_skipped("[{\"a\" 1}]", "line 1: object property name separator ':' expected");
	expect_skipped("[{\"a\": 1]", "line 1: object value separator ',' expected");
	expect_skipped("[/**/{\"a\": 1}]", "line 1: unexpected character");
	expect_skipped("[{1: 1}]", "line 1: quoted object property name expected");
	expect_skipped("[[1 2]]", "line 1: array value separator ',' expected");
	expect_skipped("[[1,\n{}", "it ends in line 2, before its outermost object does");
	expect_skipped("", "it ends in line 1, before its outermost object does");
}

static void errors_tell_the_line(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "{\n\"a\" [1]}", "line 2: object property name separator ':' expected" },
		{ "{\n\n1: []}", "line 3: quoted object property name expected" },
		{ "{ \"a\": [1 2] }", "line 1: array value separator ',' expected" },
		{ "{ \"a\": []\n\"b\": [] }", "line 2: object value separator ',' expected" },
		{ "{ \"a\": [1,,2] }", "line 1: unexpected character" },
		{ "{ \"a\": [nothing] }", "line 1: null expected" },
		{ "{ \"a\": [1,\n2", "it ends in line 2, before its outermost object does" },
		{ "{ \"a\": [1,\n", "it ends in line 2, before its outermost object does" },
		{ "{ \"a", "it ends in line 1, before its outermost object does" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_reader reader;
		FILE *file = start(&reader, cases[i].text, 0);

		sum_arrays(&reader);
		assert_false(json_read_more(&reader, '}'));
		assert_false(json_read_begin(&reader, '{'));
		expect_error(&reader, file, cases[i].error);
	}
}

static void a_directory_cannot_be_read(void **state)
{
	FILE *file = fopen(".", "r");
	struct json_reader reader;

	json_read_start(&reader, file);
	assert_false(json_read_skip(&reader));
	assert_int_equal(reader.system_error, EISDIR);
	expect_error(&reader, file, strerror(EISDIR));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(values_span_the_buffer),
	cmocka_unit_test(values_of_another_type_have_a_default),
	cmocka_unit_test(only_the_beginning_container_is_begun),
	cmocka_unit_test(null_spans_the_buffer),
	cmocka_unit_test(containers_are_skipped),
	cmocka_unit_test(errors_tell_the_line),
	cmocka_unit_test(a_directory_cannot_be_read),
};

TEST_MAIN(tests, NULL, NULL)
