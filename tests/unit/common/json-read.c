/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading JSON value by value, wherever the buffer ends in it. */
#include "unit/cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_get.h"
#include "common/json_read.h"

/* Starts to read @text behind @spaces spaces. The caller closes the file. */
static FILE *start(struct json_reader *reader, const char *text, size_t spaces)
{
	size_t bytes = spaces + strlen(text);
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_true(fprintf(file, "%*s%s", (int)spaces, "", text) == (int)bytes);
	rewind(file);
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
	struct json_object *key, *value;
	uint64_t sum = 0;

	assert_true(json_read_begin(reader, '{'));
	while (json_read_more(reader, '}') && json_read_key(reader, &key)) {
		json_object_put(key);
		assert_true(json_read_begin(reader, '['));
		while (json_read_more(reader, ']') && json_read_value(reader, &value)) {
			sum += json_object_get_uint64(value);
			json_object_put(value);
		}
	}
	return sum;
}

static void values_span_the_buffer(void **state)
{
	const char text[] = "{ \"first\": [ 1, 20, 300 ], \"\": [],\n\"third\" : [4000, 5e0]}";

	(void)state;
	for (size_t before = 0; before <= sizeof(text); before++) {
		struct json_reader reader;
		FILE *file = start(&reader, text, JSON_READ_BYTES - before);

		assert_int_equal(sum_arrays(&reader), 4326);
		assert_int_equal(reader.line, 2);
		expect_error(&reader, file, NULL);
	}
}

static void only_the_beginning_container_is_begun(void **state)
{
	struct json_reader reader;
	struct json_object *value;
	FILE *file = start(&reader, " {\"a\": null}", 0);

	(void)state;
	assert_false(json_read_begin(&reader, '['));
	assert_true(json_read_value(&reader, &value));
	assert_true(json_object_is_type(value, json_type_object));
	json_object_put(value);
	expect_error(&reader, file, NULL);
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

	(void)state;
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
	struct json_object *value;

	(void)state;
	json_read_start(&reader, file);
	assert_false(json_read_value(&reader, &value));
	assert_int_equal(reader.system_error, EISDIR);
	expect_error(&reader, file, strerror(EISDIR));
}

static void missing_members_have_a_result(void **state)
{
	struct json_object *object = json_tokener_parse(
		"{\"guid\": \"0x00000000000000ff\", \"text\": \"word\", \"flag\": true, "
		"\"number\": 255, \"less\": -1, \"other\": \"0xfg\"}");
	uint64_t number = 7;

	(void)state;
	assert_int_equal(json_get_guid(object, "guid"), 255);
	assert_int_equal(json_get_guid(object, "other"), 0);
	assert_int_equal(json_get_guid(object, "number"), 0);
	assert_string_equal(json_get_text(object, "text"), "word");
	assert_string_equal(json_get_text(object, "none"), "");
	assert_true(json_get_flag(object, "flag"));
	assert_false(json_get_flag(object, "text"));
	assert_false(json_get_number(object, "less", 255, &number));
	assert_false(json_get_number(object, "text", 255, &number));
	assert_false(json_get_number(NULL, "number", 255, &number));
	assert_false(json_get_number(object, "number", 254, &number));
	assert_true(json_get_number(object, "number", 255, &number));
	assert_int_equal(number, 255);
	json_object_put(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_span_the_buffer),
		cmocka_unit_test(only_the_beginning_container_is_begun),
		cmocka_unit_test(errors_tell_the_line),
		cmocka_unit_test(a_directory_cannot_be_read),
		cmocka_unit_test(missing_members_have_a_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
