/* SPDX-License-Identifier: BSD-2-Clause */
/* The time that a thread is off its processor, by a file like the kernel's count. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/driver_state.h"

#define US 1000ull
#define MS 1000000ull

static void set_counter(const struct away *away, const char *text)
{
	assert_int_equal(ftruncate(away->fd, 0), 0);
	assert_int_equal(pwrite(away->fd, text, strlen(text), 0), (ssize_t)strlen(text));
}

/* Returns what counts as the kernel's, at 1 ms, with 2 ms off the processor until then. */
static struct away open_fake(void)
{
	struct away away = {
		.fd = memfd_create("schedstat", MFD_CLOEXEC),
		.thread = pthread_self(),
		.looked_at = 1 * MS,
		.counted_ns = 2 * MS,
	};

	assert_true(away.fd >= 0);
	set_counter(&away, "700 2000000 12\n");
	return away;
}

/* The driver takes the growth of the count since the last look as time off the processor. */
static void test_counts(void **state)
{
	struct away away = open_fake();

	set_counter(&away, "700 4000000 12\n");
	assert_int_equal(away_look(&away, 5 * MS), 1990 * US);
	assert_int_equal(away_look(&away, 6 * MS), 0);
	/* It is no more than the time that has passed. */
	set_counter(&away, "700 9000000 12\n");
	assert_int_equal(away_look(&away, 7 * MS), 1 * MS);
	away_close(&away);
}

/* A thread that sleeps is always woken some us late. */
static void test_ignores_usual_delays(void **state)
{
	struct away away = open_fake();
	uint64_t now = 1 * MS;

	set_counter(&away, "700 2010000 12\n");
	assert_int_equal(away_look(&away, now += 200 * US), 0);
	/* After short turns, those of each of them are in the count. */
	for (int i = 0; i < 9; i++)
		assert_int_equal(away_look(&away, now += 20 * US), 0);
	set_counter(&away, "700 2110000 12\n");
	assert_int_equal(away_look(&away, now += 200 * US), 0);
	away_close(&away);
}

/* Short turns do not ask the kernel each. */
static void test_short_turns(void **state)
{
	struct away away = open_fake();
	uint64_t now = 1 * MS;

	set_counter(&away, "700 3000000 12\n");
	for (int i = 0; i < 15; i++)
		assert_int_equal(away_look(&away, now += 50 * US), 0);
	assert_int_equal(away_look(&away, now += 50 * US), 50 * US);
	away_close(&away);
}

/* Without a count, or with one that cannot be read, nothing is known. */
static void test_no_counter(void **state)
{
	struct away away = open_fake();

	set_counter(&away, "");
	assert_int_equal(away_look(&away, 5 * MS), 0);
	set_counter(&away, "700\n");
	assert_int_equal(away_look(&away, 9 * MS), 0);
	away_close(&away);
	assert_int_equal(away.fd, -1);
	assert_int_equal(away_look(&away, 20 * MS), 0);
}

static void *look_there(void *argument)
{
	assert_int_equal(away_look(argument, 9 * MS), 0);
	return NULL;
}

/* The count is that of the thread which looks. */
static void test_count_follows_the_looking_thread(void **state)
{
	struct away away;
	pthread_t thread;

	away_open(&away);
	assert_int_equal(pthread_create(&thread, NULL, look_there, &away), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(pthread_equal(away.thread, thread));
	away_close(&away);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_counts),
	cmocka_unit_test(test_ignores_usual_delays),
	cmocka_unit_test(test_short_turns),
	cmocka_unit_test(test_no_counter),
	cmocka_unit_test(test_count_follows_the_looking_thread),
};

TEST_MAIN(tests, NULL, NULL)
