/* SPDX-License-Identifier: BSD-2-Clause */
/* The same for programs, as one JSON object. */
#ifndef PING_JSON_H
#define PING_JSON_H

#include <stdio.h>
#include <json-c/json.h>

#include "result.h"

/* Elements of the arrays "intervals" and "steps". */
struct json_object *json_part(const struct figures *part, uint64_t since_ns);
struct json_object *json_step(const struct step *step);

/* Takes the arrays over. Ends the program with a message when memory is exhausted. */
void json_print(FILE *out, const struct result *result, struct json_object *intervals,
		struct json_object *steps);

#endif
