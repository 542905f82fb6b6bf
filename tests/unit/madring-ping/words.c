/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of a command line: targets, times, rates, percentages. */
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"

#include "madring-ping/quantity.h"
#include "madring-ping/target.h"

static void expect_target(const char *text, enum target_type type)
{
	struct target target;

	assert_null(target_read(&target, text));
	assert_int_equal(target.type, type);
	assert_string_equal(target.name, text);
}

static void test_targets(void **state)
{
	struct target target;

	expect_target("1", TARGET_LID);
	expect_target("0xbfff", TARGET_LID);
	expect_target("49151", TARGET_LID);
	expect_target("0x00001", TARGET_GUID);
	expect_target("0x0002c90300a1b2c3", TARGET_GUID);
	expect_target("fe80::2:c903:a1:b2c3", TARGET_GID);
	expect_target("0", TARGET_ROUTE);
	expect_target("0,1,254", TARGET_ROUTE);

	assert_null(target_read(&target, "0x1f"));
	assert_int_equal(target.lid, 0x1f);
	assert_null(target_read(&target, "0x0002c90300a1b2c3"));
	assert_true(target.guid == 0x0002c90300a1b2c3u);
	assert_null(target_read(&target, "fe80::1"));
	assert_int_equal(target.gid[0], 0xfe);
	assert_int_equal(target.gid[15], 1);
	assert_null(target_read(&target, "0,3,17"));
	assert_int_equal(target.route.hops, 2);
	assert_int_equal(target.route.port[1], 3);
	assert_int_equal(target.route.port[2], 17);
}

static void test_wrong_targets_are_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		" 1",
		"1 ",
		"-1",
		"+1",
		"49152",
		"0xc000",
		"0x",
		"0x0000",
		"host1",
		"1.5",
		"0,",
		"0,0",
		"0,255",
		"0,1,",
		"1,2",
		"0,,1",
		"0,-1",
		"0,0x1",
		"00,1",
		":",
		"fe80::g",
		"0x1ffffffffffffffff",
		"0,1 ,2",
		"0x0000000000000000",
	};
	struct target target;
	char text[1024] = "0";

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!target_read(&target, wrong[i]))
			fail_msg("taken for a target: \"%s\"", wrong[i]);
	for (unsigned int hop = 0; hop < 63; hop++)
		memcpy(text + 1 + 2 * hop, ",1", 3);
	assert_null(target_read(&target, text));
	assert_int_equal(target.route.hops, 63);
	memcpy(text + 1 + 2 * 63, ",1", 3);
	assert_non_null(target_read(&target, text));
	memset(text, '1', 900);
	text[900] = '\0';
	assert_non_null(target_read(&target, text));
}

static void expect_time(const char *text, uint64_t expected)
{
	uint64_t ns;

	assert_true(quantity_time(text, &ns));
	assert_true(ns == expected);
}

static void test_times(void **state)
{
	static const char *const wrong[] = {
		"",	"s",   ".",   "-1",  "+1",    "1 s",	  "1h",	   "1ss",
		"0x10", "inf", "nan", "1e3", "1e99s", "31536001", "1.2.3", " 1",
	};
	uint64_t ns;

	expect_time("1", 1000000000);
	expect_time("0.25", 250000000);
	expect_time(".5s", 500000000);
	expect_time("20ms", 20000000);
	expect_time("1.5us", 1500);
	expect_time("7ns", 7);
	expect_time("2min", 120000000000);
	expect_time("31536000", QUANTITY_MOST_NS);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (quantity_time(wrong[i], &ns))
			fail_msg("taken for a time: \"%s\"", wrong[i]);
}

static void test_rates_and_percentages(void **state)
{
	uint64_t mhz;
	double percent;

	assert_true(quantity_rate("1", &mhz) && mhz == 1000);
	assert_true(quantity_rate("0.001", &mhz) && mhz == 1);
	assert_true(quantity_rate("2.5k", &mhz) && mhz == 2500000);
	assert_true(quantity_rate("100M", &mhz) && mhz == 100000000000);
	assert_false(quantity_rate("0", &mhz));
	assert_false(quantity_rate("0.0001", &mhz));
	assert_false(quantity_rate("101M", &mhz));
	assert_false(quantity_rate("5/s", &mhz));
	assert_true(quantity_percent("0", &percent) && percent == 0);
	assert_true(quantity_percent("0.5%", &percent) && percent == 0.5);
	assert_true(quantity_percent("100%", &percent) && percent == 100);
	assert_false(quantity_percent("101", &percent));
	assert_false(quantity_percent("-1", &percent));
	assert_false(quantity_percent("%", &percent));
}

static void test_many_targets(void **state)
{
	struct targets targets = { 0 };
	struct target target;

	for (unsigned int lid = 1; lid <= 1000; lid++) {
		char text[8];

		snprintf(text, sizeof(text), "%u", lid);
		assert_null(target_read(&target, text));
		assert_int_equal(targets_add(&targets, &target)->lid, lid);
	}
	assert_int_equal(targets.count, 1000);
	assert_int_equal(targets.list[999].lid, 1000);
	targets_free(&targets);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_targets),	     cmocka_unit_test(test_wrong_targets_are_refused),
	cmocka_unit_test(test_times),	     cmocka_unit_test(test_rates_and_percentages),
	cmocka_unit_test(test_many_targets),
};

TEST_MAIN(tests, NULL, NULL)
