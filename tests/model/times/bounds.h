/* SPDX-License-Identifier: BSD-2-Clause */
/* The bounds that cases are held to: a file with a line for each case. */
#ifndef TIMES_BOUNDS_H
#define TIMES_BOUNDS_H

#include <stdbool.h>

struct times_case;
struct times_result;

/* Reads the bounds. Exits with a message if the file cannot be read or is wrong. */
void bounds_read(const char *path);

/*
 * Returns whether a result keeps to the bounds of its case, neither worse than they are nor far
 * better. If not, writes to standard error what differs.
 */
bool bounds_hold(const struct times_case *what, const struct times_result *result);

/* Writes the beginning of a file of bounds, and a line for a case. */
void bounds_write_title(void);
void bounds_write(const struct times_case *what, const struct times_result *result);

#endif
