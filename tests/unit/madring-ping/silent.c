/* SPDX-License-Identifier: BSD-2-Clause */
/* Which targets are silent, by the outcomes of their requests, and which delays are spoilt. */
#include "cmocka_all.h"

#include "madring-ping/processor.h"
#include "madring-ping/target.h"

static void test_target_without_an_outcome(void **state)
{
	const struct target target = { .sent = 1 };

	assert_false(target_is_silent(&target));
}

static void test_target_that_never_answers(void **state)
{
	struct target target = { 0 };

	target_count_loss(&target, 0);
	assert_true(target_is_silent(&target));
	target_count_answer(&target, 1, 5);
	assert_false(target_is_silent(&target));
}

static void test_target_that_refuses(void **state)
{
	struct target target = { 0 };

	target_count_refusal(&target, 0);
	assert_true(target_is_silent(&target));
}

static void test_target_that_ceases_to_reply(void **state)
{
	struct target target = { 0 };

	target_count_answer(&target, 0, 5);
	target_count_loss(&target, 1);
	target_count_loss(&target, 2);
	assert_false(target_is_silent(&target));
	target_count_loss(&target, 3);
	assert_true(target_is_silent(&target));
	assert_int_equal(target.lost_last, 3);
	target_count_answer(&target, 4, 5);
	assert_false(target_is_silent(&target));
	assert_int_equal(target.lost, 3);
}

/* A loss is known a timeout after the request, when later ones have their replies. */
static void test_losses_before_a_reply(void **state)
{
	struct target target = { 0 };

	target_count_answer(&target, 9, 5);
	for (uint64_t number = 0; number < 9; number++)
		target_count_loss(&target, number);
	assert_false(target_is_silent(&target));
	assert_int_equal(target.lost_last, 0);
	/* Nor does an old reply make up for what was lost since. */
	for (uint64_t number = 10; number < 13; number++)
		target_count_loss(&target, number);
	target_count_answer(&target, 8, 5);
	assert_true(target_is_silent(&target));
}

static void test_delays(void **state)
{
	struct target target = { 0 };

	target_count_answer(&target, 0, 7);
	target_count_answer(&target, 1, 5);
	target_count_answer(&target, 2, 9);
	assert_int_equal(target.min_ns, 5);
	assert_int_equal(target.max_ns, 9);
	assert_int_equal(target.sum_ns, 21);
	assert_int_equal(target.answered, 3);
}

static void test_spoilt_delays(void **state)
{
	assert_false(processor_spoils(0, 0));
	assert_false(processor_spoils(49999, 50000));
	assert_true(processor_spoils(50000, 60000));
	assert_true(processor_spoils(50000, 400000));
	assert_false(processor_spoils(50000, 500000));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_target_without_an_outcome),
	cmocka_unit_test(test_target_that_never_answers),
	cmocka_unit_test(test_target_that_refuses),
	cmocka_unit_test(test_target_that_ceases_to_reply),
	cmocka_unit_test(test_losses_before_a_reply),
	cmocka_unit_test(test_delays),
	cmocka_unit_test(test_spoilt_delays),
};

TEST_MAIN(tests, NULL, NULL)
