/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing JSON, in each layout: the text is as expected, and json-c reads it. */
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "json/json_write.h"

#define TEXT "quote \" back \\ slash / tab \t bell \a \x1f \xc3\xa4"

static void write_containers(struct json_writer *writer)
{
	json_write_open(writer, "flags", '[');
	json_write_flag(writer, NULL, true);
	json_write_flag(writer, NULL, false);
	json_write_close(writer, ']');
	json_write_open(writer, "empty", '{');
	json_write_close(writer, '}');
	json_write_open(writer, "nothing", '[');
	json_write_close(writer, ']');
}

static void write_values(struct json_writer *writer)
{
	json_write_text(writer, "text", "a\"b\\c/d\n\x01\x1f");
	json_write_text(writer, "none", NULL);
	write_containers(writer);
	json_write_open(writer, "numbers", '[');
	json_write_number(writer, NULL, 0);
	json_write_number(writer, NULL, UINT64_MAX);
	json_write_signed(writer, NULL, INT64_MIN);
	json_write_real(writer, NULL, 2);
	json_write_real(writer, NULL, 0.5);
	json_write_real(writer, NULL, 1e300);
	json_write_real(writer, NULL, NAN);
	json_write_digits(writer, NULL, "0.10");
	json_write_close(writer, ']');
	json_write_guid(writer, "guid", 0x0123456789abcdef);
	json_write_null(writer, "null");
}

static void expect_text(enum json_layout layout, void (*write)(struct json_writer *writer),
			const char *expected)
{
	struct json_writer writer;
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	json_write_start(&writer, out, layout);
	json_write_open(&writer, NULL, '{');
	write(&writer);
	json_write_close(&writer, '}');
	json_write_end(&writer);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void test_one_line_has_each_kind_of_value(void **state)
{
	expect_text(JSON_ON_ONE_LINE, write_values,
		    "{ \"text\": \"a\\\"b\\\\c\\/d\\n\\u0001\\u001f\", \"none\": null, "
		    "\"flags\": [ true, false ], \"empty\": { }, \"nothing\": [ ], "
		    "\"numbers\": [ 0, 18446744073709551615, -9223372036854775808, 2.0, 0.5, "
		    "1.0000000000000001e+300, null, 0.10 ], "
		    "\"guid\": \"0x0123456789abcdef\", \"null\": null }\n");
}

static void test_indented_value_has_two_columns_per_level(void **state)
{
	expect_text(JSON_INDENTED, write_containers,
		    "{\n  \"flags\":[\n    true,\n    false\n  ],\n"
		    "  \"empty\":{},\n  \"nothing\":[]\n}\n");
}

static void write_lines(struct json_writer *writer)
{
	json_write_open_lines(writer, NULL, '{');
	write_containers(writer);
	json_write_open_lines(writer, "lines", '[');
	json_write_foreign(writer, NULL);
	fputs("1", writer->out);
	json_write_open_lines(writer, NULL, '[');
	json_write_close(writer, ']');
	json_write_close(writer, ']');
	json_write_close(writer, '}');
	json_write_flush(writer);
}

/* A container of lines stands within what its caller writes around it. */
static void test_container_of_lines_has_margin(void **state)
{
	struct json_writer writer;
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	json_write_start(&writer, out, JSON_ON_ONE_LINE);
	writer.margin = 1;
	write_lines(&writer);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, "{\n    \"flags\": [ true, false ],\n    \"empty\": { },\n"
				  "    \"nothing\": [ ],\n    \"lines\": [\n      1,\n"
				  "      []\n    ]\n  }");
	free(text);
}

/* Texts of all lengths up to beyond the buffer, so that it is full at each place of one. */
static void test_full_buffer_is_written(void **state)
{
	struct json_object *tree = json_object_new_array(), *read;
	struct json_writer writer;
	char *text, filler[sizeof(writer.text) + 8];
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	json_write_start(&writer, out, JSON_ON_ONE_LINE);
	json_write_open(&writer, NULL, '[');
	for (size_t length = 0; length < sizeof(filler); length += 1 + length / 2) {
		memset(filler, 'x', length);
		filler[length] = '\0';
		json_write_text(&writer, NULL, filler);
		json_write_text(&writer, NULL, TEXT);
		json_object_array_add(tree, json_object_new_string(filler));
		json_object_array_add(tree, json_object_new_string(TEXT));
	}
	json_write_close(&writer, ']');
	json_write_end(&writer);
	fclose(out);
	read = json_tokener_parse(text);
	assert_true(json_object_equal(read, tree));
	json_object_put(read);
	json_object_put(tree);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_line_has_each_kind_of_value),
	cmocka_unit_test(test_indented_value_has_two_columns_per_level),
	cmocka_unit_test(test_container_of_lines_has_margin),
	cmocka_unit_test(test_full_buffer_is_written),
};

TEST_MAIN(tests, NULL, NULL)
