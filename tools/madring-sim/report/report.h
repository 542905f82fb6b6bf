/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report in JSON: what became of a fabric's MADs, how busy its nodes were, and how fast a program
 * could have been.
 */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stdio.h>

#include <json-c/json.h>

#include "fabric/fabric.h"

/* What the fabric itself does not know. */
struct report_run {
	const char *profile;
	uint64_t seed;
};

/* report_new returns a report, to be freed by json_object_put(). */
struct json_object *report_new(const struct fabric *fabric, const struct report_run *run);

/* Both return 0 or -errno. */
int report_write(struct json_object *report, const char *path);
int report_print(struct json_object *report, FILE *out);

#endif
