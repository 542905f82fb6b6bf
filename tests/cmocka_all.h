/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of cmocka, and those that it needs before it. */
#ifndef TESTS_CMOCKA_ALL_H
#define TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* cmocka passes its state to each test, and a fake gets all that a caller passes: few use it all.
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#endif
