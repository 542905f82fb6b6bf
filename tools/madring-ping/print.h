/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the results as lines for people. */
#ifndef PING_PRINT_H
#define PING_PRINT_H

#include <stdio.h>

#include "load.h"
#include "result.h"

void print_outcome(FILE *out, const struct outcome *outcome, int timeout_ms);

/* Prints the figures of one interval. The measurement began at @since_ns. */
void print_part(FILE *out, const struct figures *part, uint64_t since_ns);
void print_step(FILE *out, const struct step *step);
void print_summary(FILE *out, const struct result *result);

/* Describes the mode, such as "5 in flight". Writes @text and returns it. */
#define PRINT_MODE_BYTES 96
const char *print_mode(const struct options *options, char text[PRINT_MODE_BYTES]);

#endif
