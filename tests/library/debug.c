/* SPDX-License-Identifier: BSD-2-Clause */
/* The debug messages on standard error, by level. */
#include "library_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char said[1 << 20];
static FILE *file;
static int kept;

static void listen_begin(void)
{
	file = tmpfile();
	assert_non_null(file);
	fflush(stderr);
	kept = dup(STDERR_FILENO);
	assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
}

/* Stores the messages since listen_begin(). */
static void listen_end(void)
{
	size_t bytes;

	fflush(stderr);
	assert_true(dup2(kept, STDERR_FILENO) >= 0);
	close(kept);
	assert_int_equal(fseek(file, 0, SEEK_SET), 0);
	bytes = fread(said, 1, sizeof(said) - 1, file);
	said[bytes] = '\0';
	fclose(file);
}

static unsigned int count(const char *text)
{
	unsigned int found = 0;

	for (const char *at = said; (at = strstr(at, text)); at += strlen(text))
		found++;
	return found;
}

/* Takes a ring through all its events. */
static void course(void)
{
	struct outcomes outcomes = { 0 };
	struct madring_port *port;
	struct fixture fixture;

	fixture_open(&fixture, NULL, &fixture_patient);
	fixture_send(&fixture, 20, &outcomes);
	fixture_finish(&fixture);
	assert_int_not_equal(madring_port_open(fixture.ring, "none0", 1, NULL, &port), 0);
	fake_remove();
	fixture_send(&fixture, 1, &outcomes);
	fixture_drain(&fixture);
	fixture_close(&fixture);
}

static void test_the_level(void **state)
{
	assert_int_equal(madring_debug(-1), 0);
	assert_int_equal(madring_debug(2), 2);
	assert_int_equal(madring_debug(-7), 2);
	assert_int_equal(madring_debug(1), 1);
	assert_int_equal(madring_debug(0), 0);
	assert_int_equal(madring_debug(-1), 0);
}

static void test_level_0_writes_no_line(void **state)
{
	listen_begin();
	course();
	listen_end();
	assert_string_equal(said, "");
}

static void test_level_1_writes_events(void **state)
{
	madring_debug(1);
	listen_begin();
	course();
	listen_end();
	madring_debug(0);
	assert_int_equal(count("] a ring of 1024 transactions"), 1);
	assert_int_equal(count("] port fake0:1, "), 1);
	assert_int_equal(count("] received by "), 1);
	assert_int_equal(count("an agent of class 0x03, version 2: registered"), 1);
	assert_int_equal(count("] no port none0:1: "), 1);
	assert_true(count(": its device is gone") >= 1);
	assert_int_equal(count("] a ring closes: "), 1);
	assert_int_equal(count("] port fake0:1 closes"), 1);
	assert_int_equal(count("the agent of class 0x03, version 2, closes"), 1);
	assert_int_equal(count(" 320 bytes"), 0);
	/* Each message is a line of its own, and begins with the library's name. */
	assert_int_equal(count("\n"), count("madring: ["));
}

/* An open ring takes a new level over at its next turn. */
static void test_level_2_writes_mads(void **state)
{
	struct outcomes outcomes = { 0 };
	struct fixture *fixture = *state;

	listen_begin();
	fixture_send(fixture, 5, &outcomes);
	fixture_finish(fixture);
	madring_debug(2);
	fixture_send(fixture, 20, &outcomes);
	fixture_finish(fixture);
	madring_debug(1);
	fixture_send(fixture, 5, &outcomes);
	fixture_finish(fixture);
	listen_end();
	madring_debug(0);
	assert_int_equal(outcomes.count, 30);
	assert_int_equal(count(": sent 320 bytes\n"), 20);
	assert_int_equal(count(": received 320 bytes\n"), 20);
	assert_int_equal(count("\n"), 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_level),
		cmocka_unit_test(test_level_0_writes_no_line),
		cmocka_unit_test(test_level_1_writes_events),
		PATIENT_TEST(test_level_2_writes_mads),
	};

	unsetenv("MADRING_DEBUG");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
