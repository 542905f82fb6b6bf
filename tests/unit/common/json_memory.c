/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading JSON fails cleanly at each allocation, those of json-c included, wherever the buffer ends
 * in the text: all values are read, or the error is ENOMEM.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json/json_read.h"
#include "unit/failing.h"

#define VALUES 5

/* Values of all kinds that json-c parses, or that the reader steps through. */
static const char text[] = "[[\"es\\\"caped, and longer than json-c has room for at first\", 12, "
			   "[\"\\n\"], {\"\\t\": {\"\": [\"\\\"\"]}}, null], "
			   "[18446744073709551614, 0.5, -1, {\"a\": 1}, 7], "
			   "[true, false, {\"a\": true}, [true], null], "
			   "[null, {\"a\": [null, {\"b\": {}}]}, 1.5e3, \"\\\"\", null], "
			   "[{\"a\": {\"b\\\\\": \"\\\\\"}}, 1.5, [[], [null]], \"\\\"\", -2]]";

struct values {
	char texts[VALUES][64];
	uint64_t numbers[VALUES];
	bool flags[VALUES], nulls[VALUES];
};

static void read_one(struct json_reader *reader, unsigned int kind, unsigned int at,
		     struct values *values)
{
	switch (kind) {
	case 0:
		json_read_text(reader, values->texts[at], sizeof(values->texts[at]));
		break;
	case 1:
		json_read_number(reader, &values->numbers[at]);
		break;
	case 2:
		json_read_flag(reader, &values->flags[at]);
		break;
	case 3:
		values->nulls[at] = json_read_null(reader);
		break;
	default:
		json_read_skip(reader);
		break;
	}
}

/* Reads the file from its start. Returns 0, or the error. */
static int read_values(FILE *file, struct values *values)
{
	struct json_reader reader;
	char error[JSON_READ_ERROR_BYTES];
	unsigned int kind = 0, at;

	memset(values, 0, sizeof(*values));
	assert_false(fseek(file, 0, SEEK_SET));
	json_read_start(&reader, file);
	json_read_begin(&reader, '[');
	for (; json_read_more(&reader, ']') && json_read_begin(&reader, '['); kind++)
		for (at = 0; json_read_more(&reader, ']'); at++)
			read_one(&reader, kind, at, values);
	json_read_end(&reader);
	if (!json_read_error(&reader, error)) {
		assert_int_equal(kind, 5);
		return 0;
	}
	assert_int_equal(reader.system_error, ENOMEM);
	assert_string_equal(error, strerror(ENOMEM));
	return -ENOMEM;
}

/* Fails each allocation in turn. Returns how many there are. */
static unsigned int fail_each(FILE *file, const struct values *expected)
{
	long before = living_allocations;
	struct values values;
	unsigned int fail = 0;
	int error;

	do {
		fail_at = ++fail;
		error = read_values(file, &values);
		assert_int_equal(living_allocations, before);
		assert_int_equal(error, fail_at ? 0 : -ENOMEM);
	} while (error);
	fail_at = 0;
	assert_memory_equal(&values, expected, sizeof(values));
	return fail - 1;
}

static bool sees_json_c(void)
{
	unsigned long calls = heap_calls;

	json_object_put(json_object_new_int(1));
	return heap_calls > calls;
}

static void each_allocation_fails(void **state)
{
	struct values expected;

	/* A json-c that is a shared library allocates by itself. */
	if (!sees_json_c())
		skip();
	for (size_t before = 0; before <= sizeof(text); before++) {
		FILE *file = tmpfile();

		assert_non_null(file);
		fprintf(file, "%*s%s", (int)(JSON_READ_BYTES - before), "", text);
		assert_int_equal(read_values(file, &expected), 0);
		assert_true(fail_each(file, &expected) > 10);
		fclose(file);
	}
	assert_string_equal(expected.texts[0],
			    "es\"caped, and longer than json-c has room for at first");
	assert_true(expected.numbers[0] == UINT64_MAX - 1 && expected.numbers[4] == 7);
	assert_true(expected.flags[0] && !expected.flags[2]);
	assert_true(expected.nulls[0] && !expected.nulls[1] && expected.nulls[4]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(each_allocation_fails),
};

TEST_MAIN(tests, NULL, NULL)
