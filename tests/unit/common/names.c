/* SPDX-License-Identifier: BSD-2-Clause */
/* The node name map. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json/utf8.h"
#include "common/names.h"

/* Reads a map of this text. */
static int read_text(struct names **names, const char *text)
{
	char path[] = "/tmp/madring-names-XXXXXX";
	int fd = mkstemp(path), result;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	result = names_read(names, path);
	unlink(path);
	return result;
}

static const char *name_of(const struct names *names, uint64_t guid)
{
	static struct madring_node node = { .description = "its own" };

	node.guid = guid;
	return node_name(names, &node);
}

static void test_lookup(void **state)
{
	struct names *names;

	assert_int_equal(read_text(&names, "# comment\n"
					   "\n"
					   "  0x0008f104003f125c \"Rack 11 (slot 1)\" # why\n"
					   "0x30 bare name\n"
					   "0x20 \" spaces \"\n"
					   "0x20 \"second\"\n"
					   "0xffffffffffffffff \"last\"\n"
					   "0x40\n"
					   "0x50 # none\n"
					   "0x60 \"no end"),
			 0);
	assert_string_equal(name_of(names, 0x0008f104003f125c), "Rack 11 (slot 1)");
	assert_string_equal(name_of(names, 0x30), "bare name");
	assert_string_equal(name_of(names, 0x20), " spaces ");
	assert_string_equal(name_of(names, UINT64_MAX), "last");
	assert_string_equal(name_of(names, 0x40), "its own");
	assert_string_equal(name_of(names, 0x50), "its own");
	assert_string_equal(name_of(names, 0x60), "no end");
	assert_string_equal(name_of(names, 0x70), "its own");
	assert_string_equal(name_of(names, 0), "its own");
	names_free(names);
}

static void test_printable(void **state)
{
	static const struct {
		const char *text, *expected;
	} pairs[] = {
		{ "", "" },
		{ "plain \\ \"'`$<&>", "plain \\ \"'`$<&>" },
		{ "\x1b]0;title\x07", "?]0;title?" },
		{ "a\tb\nc\rd\x7f", "a?b?c?d?" },
		{ "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80", "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80" },
		{ "\xc2\x9b"
		  "31m",
		  "??31m" },		    /* CSI, of C1 */
		{ "\xc2\xa0", "\xc2\xa0" }, /* beyond C1 */
		{ "\x9b"
		  "31m",
		  "?31m" }, /* not UTF-8 */
		{ "\xc3", "?" },
		{ "\xed\xa0\x80", "???" }, /* a surrogate */
		{ "\xc0\x80\xff", "???" }, /* overlong, and no byte of UTF-8 */
		{ "\xe2\x80\xa8\xe2\x80\xa9", "??????" },
		/* The mark that ends each of these follows it: the compiler warns otherwise. */
		{ "\xe2\x80\xae_\xe2\x80\xac", "???_???" },
		{ "\xe2\x81\xa6_\xe2\x81\xa9", "???_???" },
		{ "\xe2\x80\xa7", "\xe2\x80\xa7" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		snprintf(text, sizeof(text), "%s", pairs[i].text);
		utf8_make_printable(text);
		assert_string_equal(text, pairs[i].expected);
	}
}

static void test_names_are_printable(void **state)
{
	struct names *names;

	assert_int_equal(read_text(&names, "0x20 \"a\x1b[2Jb\rc\xff\"\n"), 0);
	assert_string_equal(name_of(names, 0x20), "a?[2Jb?c?");
	names_free(names);
}

static void check_quoted(const char *name, char quote, const char *expected)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	name_print(out, name, quote);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void test_quotes(void **state)
{
	check_quoted("a \"b\" 'c'", '"', "\"a 'b' 'c'\"");
	check_quoted("a \"b\" 'c'", '\'', "'a \"b\" \"c\"'");
	check_quoted("", '"', "\"\"");
}

static void test_long_line(void **state)
{
	char text[8192] = "0x20 \"";
	struct names *names;

	memset(text + strlen(text), 'n', sizeof(text) - 16);
	assert_int_equal(read_text(&names, text), 0);
	assert_int_equal(strlen(name_of(names, 0x20)), sizeof(text) - 16);
	names_free(names);
}

static void test_wrong_lines(void **state)
{
	static const char *const wrong[] = {
		"switch \"a\"\n",
		"0x20 \"a\"\n\"b\"\n",
		"0x123456789abcdef01 \"too long\"\n",
		"0x20\"a\"\n",
	};
	struct names *names;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(read_text(&names, wrong[i]), -1);
		names_free(names);
	}
	assert_int_equal(names_read(&names, "/nonexistent/map"), -1);
	names_free(names);
}

static void test_no_map(void **state)
{
	assert_string_equal(name_of(NULL, 0x20), "its own");
	names_free(NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lookup),
	cmocka_unit_test(test_printable),
	cmocka_unit_test(test_names_are_printable),
	cmocka_unit_test(test_quotes),
	cmocka_unit_test(test_long_line),
	cmocka_unit_test(test_wrong_lines),
	cmocka_unit_test(test_no_map),
};

TEST_MAIN(tests, NULL, NULL)
