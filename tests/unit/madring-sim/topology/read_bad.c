/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that are wrong: each gives an error with its line, and never a crash. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topologies.h"

#define HOST_A "Hca 1 \"a\"\n[1] \"b\"[1]\n\n"

static void errors_name_cause_and_line(void **state)
{
	static const struct {
		const char *text;
		unsigned int line;
		const char *says;
	} bad[] = {
		{ "", 0, "no node" },
		{ "root:x:0:0:root:/root:/bin/bash\n", 0, "no node" },
		{ "Hca 0 \"a\"\n", 1, "1 to 254 ports" },
		{ "Switch 255 \"a\"\n", 1, "1 to 254 ports" },
		{ "Switch 99999999999999999999999 \"a\"\n", 1, "1 to 254 ports" },
		{ "Switch -1 \"a\"\n[7] \"a\"[1]\n", 2, "ports 1 to 1" },
		{ "Switch \"sw8\"\n", 1, "1 to 254 ports" },
		{ "Hca 1 \"a\n", 1, "name in quotes" },
		{ "Hca 1 a\n", 1, "name in quotes" },
		{ "Hca 1 \"\"\n", 1, "1 to 64 characters" },
		{ "Hca 1 \"a@b\"\n", 1, "no '#' nor '@'" },
		{ "Hca 1 \"a\"\n\nHca 1 \"a\"\n", 3, "already a node" },
		{ "[1] \"a\"[1]\n", 1, "no node above" },
		{ "Hca 1 \"a\"\n[0] \"b\"[1]\n", 2, "ports 1 to 1" },
		{ "Hca 1 \"a\"\n[2] \"b\"[1]\n", 2, "ports 1 to 1" },
		{ "Hca 1 \"a\"\n[-1] \"b\"[1]\n", 2, "ports 1 to 1" },
		{ "Hca 1 \"a\"\n[1\n", 2, "ports 1 to 1" },
		{ "Hca 1 \"a\"\n[1](xyz \"b\"[1]\n", 2, "a GUID" },
		{ "Hca 1 \"a\"\n[1] \"b[1]\n", 2, "name in quotes" },
		{ HOST_A, 2, "no node \"b\"" },
		{ HOST_A "Hca 1 \"b\"\n", 2, "not cabled back" },
		{ HOST_A "Hca 2 \"b\"\n[2] \"a\"[1]\n", 2, "not cabled back" },
		{ HOST_A "Hca 2 \"b\"\n[1] \"a\"[1]\n[2] \"a\"[1]\n", 6, "not cabled back" },
		{ "Hca 1 \"a\"\n[1] \"b\"[2]\n\nHca 1 \"b\"\n", 2, "has no port 2" },
		{ "Hca 1 \"a\"\n[1] \"b\"[0]\n", 2, "far port" },
		{ "Hca 1 \"a\"\n[1] \"b\"[999]\n", 2, "far port" },
		{ "Hca 1 \"a\"\n[1] \"a\"[1]\n", 2, "itself" },
		{ HOST_A "Hca 1 \"b\"\n[1] \"a\"[1]\n[1] \"a\"[1]\n", 6, "two cables" },
		{ "Hca 1 \"a\"\n[1] \"b\" w=1\n\nHca 1 \"b\"\n[1] \"a\" w=2\n", 2, "in common" },
		{ "Hca 1 \"a\"\n[1] \"b\" w=32\n", 2, "more than 0x1f" },
		{ "Hca 1 \"a\"\n[1] \"b\" w=0\n", 2, "1 to 31" },
		{ "Hca 1 \"a\"\n[1] \"b\" s=wide\n", 2, "a number expected" },
		{ "Hca 1 \"a\"\n[1] \"@nobody\"\n", 2, "no port has the alias" },
		{ "Hca 2 \"a\"\n@[1] \"x\"\n@[2] \"x\"\n", 3, "already an alias" },
		{ "switchguid\n", 1, "expected" },
		{ "switchguid=\n", 1, "a number expected" },
		{ "caguid=0x10000000000000000\n", 1, "more than" },
		{ "vendid=0x1000000\n", 1, "more than 0xffffff" },
		{ "devid=70000\n", 1, "more than 0xffff" },
		{ "extspeed=48\n", 1, "more than 0x2f" },
		{ "extspeed=16\n", 1, "no extended speed is 16" },
		{ "Hca 1 \"a\"\n[1] \"b\" e=17\n", 2, "no extended speed is 16" },
		{ "width=99\n", 1, "more than 0x1f" },
		{ "module=rack\n", 1, "quotes expected" },
		{ "module=\"more than twenty characters\"\n", 1, "at most 20" },
		{ "include \"/nonexistent/file\"\n", 1, "can't open" },
		{ "\ndo start\n", 2, "console commands" },
		{ "Switch 2 \"a\" # \"a\" base port 0 lid 65536 lmc 0\n", 1, "LID or LMC" },
		{ "Hca 1 \"a\"\n[1] \"b\"[1] # lid 1 lmc 8 \"b\" lid 2 4xSDR\n", 2, "LID or LMC" },
	};
	struct topology_error error;
	struct topology *topology;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int ret = read_text(&topology, bad[i].text, strlen(bad[i].text), &error);

		if (ret != -EINVAL)
			fail_msg("\"%s\" is read: %d", bad[i].text, ret);
		if (!strstr(error.text, bad[i].says) || error.line != bad[i].line)
			fail_msg("\"%s\": line %u: %s", bad[i].text, error.line, error.text);
		assert_non_null(strstr(error.file, "madring-topology-"));
	}
}

static void missing_file_is_reported(void **state)
{
	struct topology_error error;
	struct topology *topology;

	assert_int_equal(topology_read(&topology, "/nonexistent/file", &error), -EINVAL);
	assert_non_null(strstr(error.text, "No such file"));
	assert_null(strstr(error.text, "/nonexistent/file")); /* it is in error.file */
	assert_int_equal(topology_read(&topology, "/", &error), -EINVAL);
	assert_non_null(strstr(error.text, "directory"));
}

static void long_lines_and_binary(void **state)
{
	const size_t length = 10 << 20;
	char *text = malloc(length);
	struct topology_error error;
	struct topology *topology;

	assert_non_null(text);
	memset(text, 'x', length);
	assert_int_equal(read_text(&topology, text, length, &error), -EINVAL);
	assert_non_null(strstr(error.text, "a line of more than"));
	memset(text, 0, length);
	assert_int_equal(read_text(&topology, text, length, &error), -EINVAL);
	assert_non_null(strstr(error.text, "NUL"));
	free(text);
}

/* Each of a few short files includes the next one many times, which is too many in all. */
static void files_that_include_too_many(void **state)
{
	enum { FILES = 7, TIMES = 40 };
	char paths[FILES][sizeof("/tmp/madring-include-XXXXXX")];
	struct topology_error error;
	struct topology *topology;

	for (int i = 0; i < FILES; i++) {
		FILE *file;

		strcpy(paths[i], "/tmp/madring-include-XXXXXX");
		file = fdopen(mkstemp(paths[i]), "w");
		assert_non_null(file);
		for (int times = 0; i && times < TIMES; times++)
			fprintf(file, "include \"%s\"\n", paths[i - 1]);
		fclose(file);
	}
	assert_int_equal(topology_read(&topology, paths[FILES - 1], &error), -EINVAL);
	assert_non_null(strstr(error.text, "are included"));
	for (int i = 0; i < FILES; i++)
		remove(paths[i]);
}

static void a_file_that_includes_itself(void **state)
{
	char path[] = "/tmp/madring-include-XXXXXX";
	struct topology_error error;
	struct topology *topology;
	FILE *file = fdopen(mkstemp(path), "w");

	assert_non_null(file);
	fprintf(file, "include \"%s\"\n", path);
	fclose(file);
	assert_int_equal(topology_read(&topology, path, &error), -EINVAL);
	assert_non_null(strstr(error.text, "include each other"));
	assert_int_equal(remove(path), 0);
}

/* Every byte of a good file is dropped, and changed, in turn; none of the files causes a crash. */
static void mutations(void **state)
{
	static const char bytes[] = "\0\n\"[]@#=9-\xff";
	static const char good[] = "module=\"m\"\nswitchguid=0x10(10)\n"
				   "Switch 4 \"s\" # \"s\" base port 0 lid 2 lmc 0\n"
				   "[1](1) \"h\"[1](2) w=2 # \"h\" lid 1 4xSDR\n@[2] \"x\"\n\n"
				   "Hca 2 \"h\"\n[1](12) \"s\"[1] # lid 1 lmc 0 \"s\" lid 2 4xSDR\n"
				   "[2] \"@x\"\n";
	struct topology_error error;
	char text[sizeof(good)];
	size_t read = 0;

	for (size_t i = 0; i < sizeof(good) - 1; i++) {
		for (size_t j = 0; j < sizeof(bytes) - 1; j++) {
			struct topology *topology = NULL;

			memcpy(text, good, sizeof(good));
			text[i] = bytes[j];
			if (read_text(&topology, text, sizeof(good) - 1, &error) == 0)
				read++;
			else
				assert_true(error.text[0]);
			topology_free(topology);
		}
	}
	assert_true(read > 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(errors_name_cause_and_line),
	cmocka_unit_test(missing_file_is_reported),
	cmocka_unit_test(long_lines_and_binary),
	cmocka_unit_test(files_that_include_too_many),
	cmocka_unit_test(a_file_that_includes_itself),
	cmocka_unit_test(mutations),
};

TEST_MAIN(tests, NULL, NULL)
