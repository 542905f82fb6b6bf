/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing JSON on one line: the text is that of a tree, and json-c reads it. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json_line.h"
#include "common/json_tree.h"

#define TEXT "quote \" back \\ slash / tab \t bell \a \x1f \xc3\xa4"

static void every_kind_of_value_is_as_in_a_tree(void **state)
{
	const char expected[] = "{ \"text\": \"a\\\"b\\\\c\\/d\\n\\u0001\\u001f\", \"none\": null, "
				"\"flags\": [ true, false ], \"empty\": { }, \"nothing\": [ ], "
				"\"numbers\": [ 0, 10, 18446744073709551615 ], "
				"\"guid\": \"0x0123456789abcdef\", \"null\": null }";
	struct json_line line;
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	json_line_start(&line, out);
	json_line_open(&line, NULL, '{');
	json_line_text(&line, "text", "a\"b\\c/d\n\x01\x1f");
	json_line_text(&line, "none", NULL);
	json_line_open(&line, "flags", '[');
	json_line_flag(&line, NULL, true);
	json_line_flag(&line, NULL, false);
	json_line_close(&line, ']');
	json_line_open(&line, "empty", '{');
	json_line_close(&line, '}');
	json_line_open(&line, "nothing", '[');
	json_line_close(&line, ']');
	json_line_open(&line, "numbers", '[');
	json_line_number(&line, NULL, 0);
	json_line_number(&line, NULL, 10);
	json_line_number(&line, NULL, UINT64_MAX);
	json_line_close(&line, ']');
	json_line_guid(&line, "guid", 0x0123456789abcdef);
	json_line_null(&line, "null");
	json_line_close(&line, '}');
	json_line_end(&line);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

/* Texts of all lengths up to beyond the buffer, so that it is full at each place of one. */
static void a_full_buffer_is_written(void **state)
{
	struct json_object *tree = json_object_new_array(), *read;
	struct json_line line;
	char *text, filler[sizeof(line.text) + 8];
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	json_line_start(&line, out);
	json_line_open(&line, NULL, '[');
	for (size_t length = 0; length < sizeof(filler); length += 1 + length / 2) {
		memset(filler, 'x', length);
		filler[length] = '\0';
		json_line_text(&line, NULL, filler);
		json_line_text(&line, NULL, TEXT);
		json_object_array_add(tree, json_object_new_string(filler));
		json_object_array_add(tree, json_object_new_string(TEXT));
	}
	json_line_close(&line, ']');
	json_line_end(&line);
	fclose(out);
	read = json_tokener_parse(text);
	assert_true(json_object_equal(read, tree));
	json_object_put(read);
	json_object_put(tree);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_kind_of_value_is_as_in_a_tree),
	cmocka_unit_test(a_full_buffer_is_written),
};

TEST_MAIN(tests, NULL, NULL)
