/* SPDX-License-Identifier: BSD-2-Clause */
/* The limits of a registration's requests on the wire are those that were measured. */
#include "cmocka_all.h"

#include "device/limits.h"

static void test_default_queue(void **state)
{
	assert_int_equal(limits_of_class(0x01, 512), 128);
	assert_int_equal(limits_of_class(0x81, 512), 128);
	assert_int_equal(limits_of_class(0x03, 512), 16);
	assert_int_equal(limits_of_class(0x07, 512), 128);
	assert_int_equal(limits_of_class(0x00, 512), 128);
	for (unsigned int mgmt_class = 0x04; mgmt_class < 0x81; mgmt_class++)
		if (mgmt_class != 0x07)
			assert_int_equal(limits_of_class((uint8_t)mgmt_class, 512), 0);
}

/* Only 512 of a longer queue count for SMPs. */
static void test_other_queues(void **state)
{
	assert_int_equal(limits_of_class(0x81, 4096), 128);
	assert_int_equal(limits_of_class(0x03, 4096), 128);
	assert_int_equal(limits_of_class(0x07, 4096), 1024);
	assert_int_equal(limits_of_class(0x81, 128), 32);
	assert_int_equal(limits_of_class(0x03, 128), 4);
	assert_int_equal(limits_of_class(0x07, 128), 32);
}

/* A length that the kernel cannot have told neither stops all requests nor exceeds the engine's. */
static void test_impossible_queues(void **state)
{
	assert_int_equal(limits_of_class(0x03, 0), 2);
	assert_int_equal(limits_of_class(0x81, 1), 16);
	assert_int_equal(limits_of_class(0x07, UINT32_MAX), 2048);
}

/* This machine's number, or the default's without the module. */
static void test_this_kernel(void **state)
{
	assert_in_range(device_request_limit(0x81), 16, 128);
	assert_in_range(device_request_limit(0x03), 2, 256);
	assert_int_equal(device_request_limit(0x04), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_default_queue),
	cmocka_unit_test(test_other_queues),
	cmocka_unit_test(test_impossible_queues),
	cmocka_unit_test(test_this_kernel),
};

TEST_MAIN(tests, NULL, NULL)
