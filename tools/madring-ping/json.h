/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the results for programs, as one JSON object. Its intervals come first and are written as
 * they end, so that a run may last for days.
 */
#ifndef PING_JSON_H
#define PING_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "json/json_write.h"
#include "result.h"

void json_begin(struct json_writer *writer, FILE *out);
/* Writes one interval. */
void json_part(struct json_writer *writer, const struct figures *part, uint64_t since_ns);
/* Writes the rest of the object. @steps is an array, as text. */
void json_end(struct json_writer *writer, const struct result *result, const char *steps);

/* Writes a step of a ramp as an element of an array. */
void json_step(struct json_writer *writer, const struct step *step);

#endif
