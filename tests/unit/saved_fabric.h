/* SPDX-License-Identifier: BSD-2-Clause */
/* Fabrics that a test loads from text. */
#ifndef TESTS_SAVED_FABRIC_H
#define TESTS_SAVED_FABRIC_H

#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <madring/fabric.h>

/* Saves @json in a file, and returns what madring_fabric_load() says of it. */
static inline int saved_fabric_load(const char *json, struct madring_fabric **fabric,
				    char text[MADRING_LOAD_TEXT_BYTES])
{
	char path[] = "/tmp/madring-saved-XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	int error;

	assert_non_null(file);
	assert_true(fputs(json, file) >= 0);
	assert_int_equal(fclose(file), 0);
	error = madring_fabric_load(path, fabric, text);
	unlink(path);
	return error;
}

#endif
