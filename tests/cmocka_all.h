/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of cmocka, and those that it needs before it. */
#ifndef TESTS_CMOCKA_ALL_H
#define TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/*
 * cmocka passes its state to each test, and a fake gets all that a caller passes: few use it all.
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* TEST_MAIN defines the main function of a program that runs an array of tests. */
#define TEST_MAIN(tests, setup, teardown)                                                          \
	int main(void)                                                                             \
	{                                                                                          \
		return cmocka_run_group_tests(tests, setup, teardown);                             \
	}

#endif
