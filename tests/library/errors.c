/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of madring_error_text(). */
#include "library_fixture.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The errors that the headers name, except those that strerror(3) explains well enough. */
static const int explained[] = {
	ENODEV,		 ENXIO,	 EOPNOTSUPP,   ENOPROTOOPT, EADDRINUSE, EACCES,	   EIO,
	EPROTONOSUPPORT, EUSERS, ENOSPC,       ENOBUFS,	    EPERM,	ENOSYS,	   EMFILE,
	EINVAL,		 EAGAIN, ENOENT,       EMSGSIZE,    EBUSY,	ETIMEDOUT, ECANCELED,
	ESHUTDOWN,	 ENOMEM, ECONNABORTED, EPROTO,	    EEXIST,	ENOTTY,	   EBADFD,
	EALREADY,	 ESRCH,	 EPROTOTYPE,   EREMOTE,
};
#define EXPLAINED (sizeof(explained) / sizeof(explained[0]))

static void test_each_error_has_its_own_explanation(void **state)
{
	for (size_t i = 0; i < EXPLAINED; i++) {
		const char *text = madring_error_text(-explained[i]);

		assert_string_equal(text, madring_error_text(explained[i]));
		assert_string_not_equal(text, strerror(explained[i]));
		assert_null(strchr(text, '\n'));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(text, madring_error_text(explained[j]));
	}
}

/* A program that listens gets this error when another one does: it must find that one. */
static void test_second_listener_learns_of_the_first(void **state)
{
	const char *text = madring_error_text(-EADDRINUSE);

	assert_non_null(strstr(text, "another program"));
	assert_non_null(strstr(text, "/dev/infiniband/umad*"));
}

static void test_other_errors_have_the_text_of_libc(void **state)
{
	char text[64];

	assert_string_equal(madring_error_text(-ERANGE), strerror(ERANGE));
	assert_string_equal(madring_error_text(0), strerror(0));
	snprintf(text, sizeof(text), "%s", strerror(100000));
	assert_string_equal(madring_error_text(-100000), text);
	assert_non_null(madring_error_text(INT_MIN));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_each_error_has_its_own_explanation),
	cmocka_unit_test(test_second_listener_learns_of_the_first),
	cmocka_unit_test(test_other_errors_have_the_text_of_libc),
};

TEST_MAIN(tests, NULL, NULL)
