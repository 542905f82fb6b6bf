/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's messages. */
#ifndef COMMON_COMPLAIN_H
#define COMMON_COMPLAIN_H

#include <stdbool.h>

/* Writes a line to standard error, after the name that the program was called by. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Suppresses messages, or ends that. A program that runs on would repeat them. */
void complain_keep_back(bool keep_back);

#endif
