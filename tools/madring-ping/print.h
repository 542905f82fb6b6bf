/* SPDX-License-Identifier: BSD-2-Clause */
/* What is found out, as lines for people. */
#ifndef PING_PRINT_H
#define PING_PRINT_H

#include <stdio.h>

#include "load.h"
#include "result.h"

void print_outcome(FILE *out, const struct outcome *outcome, int timeout_ms);

/* @since_ns: when the measurement began. */
void print_part(FILE *out, const struct figures *part, uint64_t since_ns);
void print_step(FILE *out, const struct step *step);
void print_summary(FILE *out, const struct result *result);

/* "5 in flight" and the like. */
#define PRINT_MODE_BYTES 96
const char *print_mode(const struct options *options, char text[PRINT_MODE_BYTES]);

#endif
