/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaves out the tests that $MADRING_TEST_EXCEPT names, words with blanks between; each of them
 * has to be there. Linked with --wrap=_cmocka_run_group_tests.
 */
#include "cmocka_all.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TESTS 64
#define MOST_TEXT  1024
#define BLANKS	   " \t\n"

int __real__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
				   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
				   CMFixtureFunction setup, CMFixtureFunction teardown);

/* Takes the test out of the list. False: it is not there. */
static bool leave_out(struct CMUnitTest *tests, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++) {
		if (strcmp(tests[i].name, name) != 0)
			continue;
		(*count)--;
		memmove(tests + i, tests + i + 1, (*count - i) * sizeof(*tests));
		return true;
	}
	return false;
}

int __wrap__cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests, size_t count,
				   CMFixtureFunction setup, CMFixtureFunction teardown)
{
	const char *except = getenv("MADRING_TEST_EXCEPT");
	struct CMUnitTest kept[MOST_TESTS];
	char text[MOST_TEXT] = "", *rest = text;

	if (count > MOST_TESTS || (except && strlen(except) >= sizeof(text))) {
		fprintf(stderr, "except: more tests, or names, than there is room for\n");
		return EXIT_FAILURE;
	}
	memcpy(kept, tests, count * sizeof(*tests));
	if (except)
		memcpy(text, except, strlen(except) + 1);
	for (char *name = strtok_r(text, BLANKS, &rest); name;
	     name = strtok_r(NULL, BLANKS, &rest)) {
		if (!leave_out(kept, &count, name)) {
			fprintf(stderr, "except: %s: no such test\n", name);
			return EXIT_FAILURE;
		}
	}
	return __real__cmocka_run_group_tests(group, kept, count, setup, teardown);
}
