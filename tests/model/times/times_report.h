/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes results as a table, or as JSON: an array with an object for each case. */
#ifndef TIMES_REPORT_H
#define TIMES_REPORT_H

#include <stdbool.h>

struct times_case;
struct times_result;

void report_begin(bool is_json);
void report_case(const struct times_case *what, const struct times_result *result);
void report_end(void);

#endif
