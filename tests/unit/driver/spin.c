/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules that say before which waits a turn looks for completions, and for how long. */
#include "cmocka_all.h"

#include <madring/ring.h>

#include "driver/spin.h"

#define US	 UINT64_C(1000)
#define MS	 (1000 * US)
#define FOR_LONG (1000 * MS)

/* Plays a wait of @ns ns, which looking ends if it lasts so long. Returns whether it looked. */
static bool play_wait(struct spin *spin, uint64_t ns)
{
	uint64_t look_ns = spin_time(spin, FOR_LONG);

	if (look_ns >= ns) {
		spin_hit(spin, ns);
		return true;
	}
	if (look_ns)
		spin_missed(spin, look_ns);
	spin_slept(spin, ns);
	return look_ns;
}

static unsigned int count_looks(struct spin *spin, unsigned int waits, uint64_t ns)
{
	unsigned int looks = 0;

	for (unsigned int i = 0; i < waits; i++)
		looks += play_wait(spin, ns);
	return looks;
}

static void test_spin_looks_where_replies_come_soon(void **state)
{
	struct spin spin;

	spin_open(&spin, 0, 2);
	assert_int_equal(count_looks(&spin, 1000, 10 * US), 1000);
	assert_int_equal(spin.stats.hits, 1000);
	assert_int_equal(spin.stats.misses, 0);
	assert_int_equal(spin.stats.ns, 1000 * 10 * US);
}

/* It looks about as long as the last replies took, and never longer than 50 us. */
static void test_the_time_follows_the_waits(void **state)
{
	struct spin spin;

	spin_open(&spin, 0, 2);
	assert_int_equal(spin_time(&spin, FOR_LONG), 50 * US);
	spin_hit(&spin, 8 * US);
	assert_int_equal(spin_time(&spin, FOR_LONG), 21 * US);
	count_looks(&spin, 100, 2 * US);
	assert_in_range(spin_time(&spin, FOR_LONG), 8 * US, 10 * US);
	count_looks(&spin, 100, 40 * US);
	assert_int_equal(spin_time(&spin, FOR_LONG), 50 * US);
	assert_int_equal(spin_time(&spin, 7 * US), 7 * US);
	assert_int_equal(spin_time(&spin, 0), 0);
}

/* If replies take long, it looks in trials alone, which get rarer. */
static void test_spin_backs_off_when_replies_take_long(void **state)
{
	struct spin spin;

	spin_open(&spin, 0, 2);
	assert_true(play_wait(&spin, MS));
	assert_int_equal(count_looks(&spin, 16, MS), 0);
	assert_true(play_wait(&spin, MS));
	assert_int_equal(count_looks(&spin, 32, MS), 0);
	assert_true(play_wait(&spin, MS));
	assert_in_range(count_looks(&spin, 100000, MS), 1, 40);
	assert_int_equal(spin.stats.hits, 0);
	assert_true(spin.stats.ns < 50 * 50 * US);
}

/* A few long waits among short ones do not end the looking; many do, and soon. */
static void test_spin_outlives_a_few_long_waits(void **state)
{
	struct spin spin;

	spin_open(&spin, 0, 2);
	count_looks(&spin, 100, 10 * US);
	for (unsigned int i = 0; i < 20; i++) {
		assert_true(play_wait(&spin, FOR_LONG));
		assert_int_equal(count_looks(&spin, 19, 10 * US), 19);
	}
	assert_in_range(count_looks(&spin, 16, FOR_LONG), 1, 3);
}

/* A thread that sleeps has its replies late. A trial that succeeds tells how late they are. */
static void test_a_trial_that_succeeds(void **state)
{
	struct spin spin;
	unsigned int waits = 0;

	spin_open(&spin, 0, 2);
	count_looks(&spin, 1000, MS);
	while (!spin_time(&spin, FOR_LONG)) {
		spin_slept(&spin, 80 * US);
		waits++;
	}
	assert_in_range(waits, 1, 2048);
	spin_hit(&spin, 15 * US);
	assert_int_equal(count_looks(&spin, 100, 15 * US), 100);
	/* The next time, it finds out as fast as at first. */
	count_looks(&spin, 4, FOR_LONG);
	assert_in_range(count_looks(&spin, 17, FOR_LONG), 1, 3);
}

static void test_spin_is_off_on_one_processor(void **state)
{
	struct spin spin;

	spin_open(&spin, 0, 1);
	assert_int_equal(count_looks(&spin, 1000, US), 0);
	spin_open(&spin, 0, 0);
	assert_int_equal(count_looks(&spin, 1000, US), 0);
	assert_int_equal(spin.stats.misses, 0);
	assert_true(spin_processors() >= 1);
}

static void test_spin_follows_its_setting(void **state)
{
	struct spin spin;

	spin_open(&spin, MADRING_NO_SPIN, 8);
	assert_int_equal(count_looks(&spin, 1000, US), 0);
	spin_open(&spin, 300, 1);
	assert_int_equal(count_looks(&spin, 1000, 200 * US), 1000);
	assert_int_equal(count_looks(&spin, 1000, MS), 1000);
	assert_int_equal(spin.stats.hits, 1000);
	assert_int_equal(spin.stats.misses, 1000);
	assert_int_equal(spin_time(&spin, FOR_LONG), 300 * US);
	assert_int_equal(spin_time(&spin, 7 * US), 7 * US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spin_looks_where_replies_come_soon),
		cmocka_unit_test(test_the_time_follows_the_waits),
		cmocka_unit_test(test_spin_backs_off_when_replies_take_long),
		cmocka_unit_test(test_spin_outlives_a_few_long_waits),
		cmocka_unit_test(test_a_trial_that_succeeds),
		cmocka_unit_test(test_spin_is_off_on_one_processor),
		cmocka_unit_test(test_spin_follows_its_setting),
	};

	return cmocka_run_group_tests_name("spin", tests, NULL, NULL);
}
