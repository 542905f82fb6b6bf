/* SPDX-License-Identifier: BSD-2-Clause */
/* What became of a fabric's MADs, how busy its nodes were, and how fast it could have been: as
 * JSON. */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stdio.h>

#include <json-c/json.h>

#include "fabric/fabric.h"

/* What the fabric does not know of itself. */
struct report_run {
	const char *profile;
	uint64_t seed;
};

/* To be freed by json_object_put(). */
struct json_object *report_new(const struct fabric *fabric, const struct report_run *run);

/* 0 or -errno. */
int report_write(struct json_object *report, const char *path);
int report_print(struct json_object *report, FILE *out);

#endif
