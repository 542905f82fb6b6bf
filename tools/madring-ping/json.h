/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the results for programs, as one JSON object. Its intervals come first and are written as
 * they end, so that a run may last for days.
 */
#ifndef PING_JSON_H
#define PING_JSON_H

#include <stdbool.h>
#include <stdio.h>
#include <json-c/json.h>

#include "result.h"

void json_begin(FILE *out);
/* Writes one interval. @*first is true before the first one. */
void json_part(FILE *out, const struct figures *part, uint64_t since_ns, bool *first);
/* Writes the rest of the object. Takes over @steps, an array of json_step()'s results. */
void json_end(FILE *out, const struct result *result, struct json_object *steps);
struct json_object *json_step(const struct step *step);

#endif
